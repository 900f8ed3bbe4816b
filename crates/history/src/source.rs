//! Where a session's bytes are: in a file, read when asked for, or in memory, handed over by a host.
//!
//! A session file is never mapped into memory: Pi rewrites old formats in place, and a mapping of a file that shrinks
//! ends the process. Reads are checked instead.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::HistoryError;

/// How much of the start and of the end of what was read is compared when a file has grown.
const SAMPLE: u64 = 4096;

pub(crate) enum Source {
    File(SessionFile),
    Entries(Vec<u8>),
}

pub(crate) struct SessionFile {
    pub(crate) path: PathBuf,
    file: File,
    stamp: Stamp,
    first: Vec<u8>,
    last: Vec<u8>,
}

/// What tells whether a file is still the one that was read.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    identity: (u64, u64),
    modified: Option<SystemTime>,
    length: u64,
}

/// What became of a file since it was read.
pub(crate) enum Fate {
    Same,
    Grown,
    Replaced,
}

impl Source {
    /// Bytes of the session, in `buffer` unless they are in memory anyway.
    pub(crate) fn bytes<'a>(
        &'a self,
        offset: u64,
        length: usize,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], HistoryError> {
        match self {
            Self::Entries(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                Ok(&bytes[start..bytes.len().min(start + length)])
            }
            Self::File(file) => {
                buffer.resize(length, 0);
                if file.read(offset, buffer)? < length {
                    return Err(HistoryError::Changed { path: file.path.clone() });
                }
                Ok(buffer)
            }
        }
    }

    pub(crate) fn length(&self) -> u64 {
        match self {
            Self::Entries(bytes) => bytes.len() as u64,
            Self::File(file) => file.stamp.length,
        }
    }

    /// The failure of a read that found other bytes than were indexed.
    pub(crate) fn changed(&self) -> HistoryError {
        let path = if let Self::File(file) = self { file.path.clone() } else { PathBuf::new() };
        HistoryError::Changed { path }
    }
}

impl SessionFile {
    pub(crate) fn open(path: &Path) -> Result<Self, HistoryError> {
        let fail = || HistoryError::io(path);
        // A pipe would be waited for.
        let metadata = fs::metadata(path).map_err(fail())?;
        if !metadata.is_file() {
            return Err(fail()(io::Error::new(io::ErrorKind::InvalidInput, "not a file")));
        }
        let file = File::open(path).map_err(fail())?;
        let stamp = Stamp::of(&file.metadata().map_err(fail())?);
        let mut session = Self { path: path.to_owned(), file, stamp, first: Vec::new(), last: Vec::new() };
        session.sample()?;
        Ok(session)
    }

    /// Looks whether the file is what was read, and takes note of its growth.
    pub(crate) fn look(&mut self) -> Result<Fate, HistoryError> {
        let now = Stamp::of(&fs::metadata(&self.path).map_err(HistoryError::io(&self.path))?);
        if now == self.stamp {
            return Ok(Fate::Same);
        }
        if now.identity != self.stamp.identity || now.length <= self.stamp.length {
            return Ok(Fate::Replaced);
        }
        let (first, last) = self.samples()?;
        if (&first, &last) != (&self.first, &self.last) {
            return Ok(Fate::Replaced);
        }
        self.stamp = now;
        self.sample()?;
        Ok(Fate::Grown)
    }

    /// Makes the next look find another file.
    pub(crate) fn distrust(&mut self) {
        self.stamp.length = u64::MAX;
    }

    /// Fills the buffer as far as the file goes.
    pub(crate) fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, HistoryError> {
        let mut done = 0;
        while done < buffer.len() {
            match read_at(&self.file, &mut buffer[done..], offset + done as u64) {
                Ok(0) => break,
                Ok(read) => done += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(HistoryError::io(&self.path)(error)),
            }
        }
        Ok(done)
    }

    fn sample(&mut self) -> Result<(), HistoryError> {
        (self.first, self.last) = self.samples()?;
        Ok(())
    }

    fn samples(&self) -> Result<(Vec<u8>, Vec<u8>), HistoryError> {
        let length = self.stamp.length.min(SAMPLE);
        let part = |offset| {
            let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
            let read = self.read(offset, &mut bytes)?;
            bytes.truncate(read);
            Ok(bytes)
        };
        Ok((part(0)?, part(self.stamp.length - length)?))
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self { identity: identity(metadata), modified: metadata.modified().ok(), length: metadata.len() }
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(windows)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::windows::fs::MetadataExt;
    (metadata.creation_time(), 0)
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}
