//! Passing over a long stretch of a session file: several threads scan pieces of it, one takes the results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::error::HistoryError;
use crate::scan::{Keys, Stretch, scan};
use crate::source::{SessionFile, Source};

/// Bytes of a piece. Each thread holds one, and the rest of its last line.
const PIECE: u64 = 2 << 20;
/// How much is read on at once where the last line of a piece is longer.
const MORE: usize = 64 << 10;

/// Scans everything from `start` to the end of what is known and gives it to `take`, in order.
pub(crate) fn sweep(
    source: &Source,
    start: u64,
    keys: &Keys,
    mut take: impl FnMut(Stretch),
) -> Result<(), HistoryError> {
    let end = source.length();
    let file = match source {
        Source::Entries(bytes) => {
            let start = usize::try_from(start).unwrap_or(usize::MAX).min(bytes.len());
            take(scan(&bytes[start..], start as u64, keys));
            return Ok(());
        }
        Source::File(file) => file,
    };
    let pieces = (end - start.min(end)).div_ceil(PIECE);
    let piece =
        |number: u64| Piece { start: start + number * PIECE, end: end.min(start + (number + 1) * PIECE), number };
    let threads = u64::try_from(thread::available_parallelism().map_or(1, usize::from)).unwrap_or(1).min(pieces);
    if threads <= 1 {
        let mut buffer = Vec::new();
        for number in 0..pieces {
            take(piece(number).scan(file, end, keys, &mut buffer)?);
        }
        return Ok(());
    }
    let next = AtomicU64::new(0);
    let (sender, receiver) = mpsc::sync_channel(usize::try_from(threads).unwrap_or(1));
    thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next, piece) = (sender.clone(), &next, &piece);
            scope.spawn(move || {
                let mut buffer = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= pieces {
                        break;
                    }
                    let stretch = piece(number).scan(file, end, keys, &mut buffer);
                    // Nobody listens any more once a piece has failed.
                    if sender.send((number, stretch)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut wanted = 0;
        for (number, stretch) in receiver {
            early.insert(number, stretch?);
            while let Some(stretch) = early.remove(&wanted) {
                take(stretch);
                wanted += 1;
            }
        }
        Ok(())
    })
}

struct Piece {
    start: u64,
    end: u64,
    number: u64,
}

impl Piece {
    /// Scans the lines that begin in the piece. The first piece begins with whatever it begins with.
    fn scan(
        &self,
        file: &SessionFile,
        end_of_all: u64,
        keys: &Keys,
        buffer: &mut Vec<u8>,
    ) -> Result<Stretch, HistoryError> {
        // A line begins behind a line feed, so the byte before the piece tells whether one begins at its start.
        let from = if self.number == 0 { self.start } else { self.start - 1 };
        let wanted = usize::try_from(self.end - from).unwrap_or(usize::MAX);
        buffer.resize(wanted, 0);
        if file.read(from, buffer)? < wanted {
            return Err(HistoryError::Changed { path: file.path.clone() });
        }
        let first = if self.number == 0 { Some(0) } else { memchr::memchr(b'\n', buffer).map(|at| at + 1) };
        let Some(first) = first.filter(|&first| first < wanted) else {
            return Ok(Stretch::default());
        };
        let mut complete = buffer.last() == Some(&b'\n');
        while !complete && from + (buffer.len() as u64) < end_of_all {
            let known = buffer.len();
            let more = usize::try_from(end_of_all - from).unwrap_or(usize::MAX) - known;
            buffer.resize(known + more.min(MORE), 0);
            if file.read(from + known as u64, &mut buffer[known..])? < buffer.len() - known {
                return Err(HistoryError::Changed { path: file.path.clone() });
            }
            if let Some(at) = memchr::memchr(b'\n', &buffer[known..]) {
                buffer.truncate(known + at + 1);
                complete = true;
            }
        }
        Ok(scan(&buffer[first..], from + first as u64, keys))
    }
}
