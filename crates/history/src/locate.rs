//! Finding session files.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::error::HistoryError;
use crate::json::Text;
use crate::record::{Parts, Record};
use crate::scan::{Header, header_of};

/// A header stands in this many bytes of a session file, or it has none.
const HEADER_BYTES: u64 = 1 << 20;
/// How much of a file's end is read first for its last entry.
const TAIL_BYTES: u64 = 16 << 10;

/// The session files below a folder.
#[derive(Debug, Default)]
pub struct Discovery {
    /// By the time of their last entry, newest first; equal ones by id.
    pub sessions: Vec<SessionFile>,
    /// Files and folders that cannot be read, or hold no session, by path.
    pub unavailable: Vec<Unavailable>,
}

/// A file that holds a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its header.
    pub header: Header,
    /// When its last entry was written, as stored; without entries, when the session began.
    pub last_entry_at: Option<String>,
}

/// What should hold a session and does not.
#[derive(Debug)]
pub struct Unavailable {
    /// Where it is.
    pub path: PathBuf,
    /// The session's id as far as the file's name tells.
    pub id: Option<String>,
    /// Why not.
    pub reason: String,
}

/// Looks for sessions in a folder and in the folders directly in it, as Pi lays them out below its `sessions` folder. Reads
/// only the beginning and the end of each file.
///
/// # Errors
/// `io` if the folder itself cannot be read. What fails below it is [unavailable](Discovery::unavailable).
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let sessions = folder.path();
/// let project = sessions.join(palimpsest_history::project_folder("/work/app".as_ref()));
/// # std::fs::create_dir(&project).unwrap();
/// # std::fs::write(project.join("x.jsonl"), r#"{"type":"session","version":3,"id":"0123456789","cwd":"/work/app"}"#).unwrap();
/// let found = palimpsest_history::discover(sessions)?;
/// assert_eq!(found.by_id_prefix("0123").next().unwrap().path, project.join("x.jsonl"));
/// # Ok::<(), palimpsest_history::HistoryError>(())
/// ```
pub fn discover(folder: &Path) -> Result<Discovery, HistoryError> {
    let mut found = Discovery::default();
    for path in entries(folder).map_err(HistoryError::io(folder))? {
        if path.is_dir() {
            match entries(&path) {
                Ok(paths) => paths.into_iter().for_each(|path| found.take(path)),
                Err(error) => found.unavailable.push(Unavailable { path, id: None, reason: error.to_string() }),
            }
        } else {
            found.take(path);
        }
    }
    found.sessions.sort_by_cached_key(|file| {
        let time = file.last_entry_at.as_deref().and_then(|time| time.parse::<Timestamp>().ok());
        (std::cmp::Reverse(time), file.header.id.clone(), file.path.clone())
    });
    found.unavailable.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// The name of the folder in which Pi keeps the sessions of a working directory.
///
/// ```
/// assert_eq!(palimpsest_history::project_folder("/work/my:app".as_ref()), "--work-my-app--");
/// ```
pub fn project_folder(directory: &Path) -> String {
    let name = directory.to_string_lossy();
    let name = name.strip_prefix(['/', '\\']).unwrap_or(&name);
    format!("--{}--", name.replace(['/', '\\', ':'], "-"))
}

impl Discovery {
    /// The sessions whose id begins so, newest first.
    pub fn by_id_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a SessionFile> {
        self.sessions.iter().filter(move |file| file.header.id.starts_with(prefix))
    }

    fn take(&mut self, path: PathBuf) {
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            return;
        }
        match look_into(&path) {
            Ok(Some((header, last_entry_at))) => self.sessions.push(SessionFile { path, header, last_entry_at }),
            Ok(None) => self.leave_out(path, "no session header".to_owned()),
            Err(error) => self.leave_out(path, error.to_string()),
        }
    }

    fn leave_out(&mut self, path: PathBuf, reason: String) {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let id = name.and_then(|name| name.rsplit_once('_').map(|(_, id)| id.to_owned()));
        self.unavailable.push(Unavailable { path, id: id.filter(|id| !id.is_empty()), reason });
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
}

fn look_into(path: &Path) -> io::Result<Option<(Header, Option<String>)>> {
    // A pipe would be waited for.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
    }
    let mut file = File::open(path)?;
    let Some(header) = first_record(&mut file)? else { return Ok(None) };
    let last_entry_at = last_timestamp(&mut file)?.or_else(|| header.timestamp.clone());
    Ok(Some((header, last_entry_at)))
}

/// The header, if it is the first record of the file.
fn first_record(file: &mut File) -> io::Result<Option<Header>> {
    let mut bytes = Vec::new();
    let mut wanted = 4096;
    loop {
        file.by_ref().take(wanted - bytes.len() as u64).read_to_end(&mut bytes)?;
        let at_end = (bytes.len() as u64) < wanted;
        let complete = if at_end { bytes.len() } else { memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1) };
        let mut parts = Parts::new();
        let mut records = bytes[..complete].split(|&byte| byte == b'\n').filter_map(|line| {
            Record::parse(line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line), &mut parts).filter(|r| r.kind.is_some())
        });
        if let Some(record) = records.next() {
            return Ok(record.is("session").then(|| header_of(&record)).filter(|header| !header.id.is_empty()));
        }
        if at_end || wanted >= HEADER_BYTES {
            return Ok(None);
        }
        wanted *= 4;
    }
}

/// The timestamp of the last record that has one and is no header.
fn last_timestamp(file: &mut File) -> io::Result<Option<String>> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut wanted = TAIL_BYTES;
    let mut bytes = Vec::new();
    loop {
        let start = length.saturating_sub(wanted);
        file.seek(SeekFrom::Start(start))?;
        bytes.clear();
        file.by_ref().take(length - start).read_to_end(&mut bytes)?;
        let mut parts = Parts::new();
        // The first line may have begun before what was read.
        let skipped = if start == 0 { 0 } else { memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |at| at + 1) };
        for line in bytes[skipped..].rsplit(|&byte| byte == b'\n') {
            let record = Record::parse(line, &mut parts).filter(|record| !record.is("session"));
            if let Some(timestamp) = record.and_then(|record| record.timestamp) {
                return Ok(Some(Text::to_owned(timestamp)));
            }
        }
        if start == 0 {
            return Ok(None);
        }
        wanted *= 8;
    }
}
