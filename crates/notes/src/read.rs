//! Reading a note, counted or by slices.

use std::io;

use crate::address::Address;
use crate::block::Document;
use crate::error::NoteError;
use crate::files::Durability;
use crate::link::Target;
use crate::meta::{Meta, Normalize};
use crate::queue;
use crate::rewrite::{Changes, rewrite};
use crate::store::{Content, Instant, Note, Slice, Store};

impl Store {
    /// Reads a note and counts the read; nothing if it does not exist.
    ///
    /// The count and the time of access are written to the file before it is returned, and `text` is exactly what was
    /// written. Where the file cannot take the count (it is not UTF-8, it lies behind a link that leaves the root, the
    /// store is read-only for us), the text on disk is returned and no byte changes.
    ///
    /// # Errors
    /// `busy`, `io`.
    ///
    /// ```
    /// # use palimpsest_notes::{Address, Clock, Identity, Store, WriteOptions};
    /// # let home = tempfile::tempdir().unwrap();
    /// # let identity = Identity::from_parts(home.path(), "s", "p-00000000", "a", "m")?;
    /// # let store = Store::new(identity, Clock::system());
    /// let plan = Address::parse("plan")?;
    /// assert_eq!(store.read(&plan)?, None);
    /// store.write(&plan, "measure", WriteOptions::default())?;
    /// let note = store.read(&plan)?.expect("it was written");
    /// assert_eq!((note.body.as_str(), note.meta.access_count), ("measure", 1.0));
    /// # Ok::<(), palimpsest_notes::NoteError>(())
    /// ```
    pub fn read(&self, address: &Address) -> Result<Option<Note>, NoteError> {
        let file = address.file(&self.identity);
        let _turn = queue::enter(&file);
        let target = self.target(&file)?;
        let Some(content) = self.read_counted(&target)? else {
            return Ok(None);
        };
        let instant = Instant::of(&self.clock);
        let document = Document::parse(&content.text);
        let meta = Meta::of(&document, address.home().scope(), &instant.context());
        let meta = Meta { not_utf8: content.not_utf8, ..meta };
        Ok(Some(Note { meta, body: document.body().to_owned(), text: content.text }))
    }

    /// Reads a stretch of a note's whole text, frontmatter included; nothing if the note does not exist.
    ///
    /// `offset` and `limit` are code points; a negative offset counts from the end. Only offset 0 is a counted read. An
    /// offset past the end gives an empty stretch at the end.
    ///
    /// # Errors
    /// `busy` (offset 0 only), `io`.
    ///
    /// ```
    /// # use palimpsest_notes::{Address, Clock, Identity, Store, WriteOptions};
    /// # let home = tempfile::tempdir().unwrap();
    /// # let identity = Identity::from_parts(home.path(), "s", "p-00000000", "a", "m")?;
    /// # let store = Store::new(identity, Clock::system());
    /// let plan = Address::parse("plan")?;
    /// store.write(&plan, "measure twice", WriteOptions::default())?;
    /// let tail = store.read_slice(&plan, -5, 100)?.expect("it was written");
    /// assert_eq!(tail.text, "twice");
    /// assert_eq!(tail.end, tail.total);
    /// # Ok::<(), palimpsest_notes::NoteError>(())
    /// ```
    pub fn read_slice(&self, address: &Address, offset: i64, limit: usize) -> Result<Option<Slice>, NoteError> {
        let file = address.file(&self.identity);
        let _turn = queue::enter(&file);
        let target = self.target(&file)?;
        let content = if offset == 0 { self.read_counted(&target)? } else { Content::read(&target.real)? };
        Ok(content.map(|content| slice(&content, offset, limit)))
    }

    fn read_counted(&self, target: &Target) -> Result<Option<Content>, NoteError> {
        let Some(content) = Content::read(&target.real)? else {
            return Ok(None);
        };
        if content.not_utf8 || !target.inside {
            return Ok(Some(content));
        }
        let _lock = match self.lock() {
            Ok(lock) => lock,
            Err(error) if is_read_only(&error) => return Ok(Some(content)),
            Err(error) => return Err(error),
        };
        // Other processes may have changed the note while this one waited for the lock.
        let Some(content) = Content::read(&target.real)? else {
            return Ok(None);
        };
        if content.not_utf8 {
            return Ok(Some(content));
        }
        let instant = Instant::of(&self.clock);
        let text = counted(&Document::parse(&content.text), &instant.context());
        match self.replace(&target.real, &text, Durability::Atomic) {
            Ok(()) => Ok(Some(Content { text, ..content })),
            Err(error) if is_read_only(&error) => Ok(Some(content)),
            Err(error) => Err(error),
        }
    }
}

/// The text that a counted read writes.
pub(crate) fn counted(document: &Document<'_>, context: &Normalize<'_>) -> String {
    let count = document.entries().filter(|(key, _)| *key == "accessCount").last();
    let count = count.and_then(|(_, value)| value.as_f64()).unwrap_or(0.0);
    let changes = Changes { last_accessed: Some(context.now), access_count: Some(count + 1.0), ..Changes::default() };
    rewrite(document, &changes, context)
}

fn is_read_only(error: &NoteError) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(error, NoteError::Io { source, .. } if matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem))
}

fn slice(content: &Content, offset: i64, limit: usize) -> Slice {
    let text = content.text.as_str();
    let total = text.chars().count();
    let distance = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let start = if offset < 0 { total.saturating_sub(distance) } else { distance.min(total) };
    let end = start.saturating_add(limit).min(total);
    let from = byte_offset(text, start);
    let to = from + byte_offset(&text[from..], end - start);
    Slice { text: text[from..to].to_owned(), start, end, total, not_utf8: content.not_utf8 }
}

/// The byte offset of a code point, or the length of the text if it is past the end.
fn byte_offset(text: &str, code_point: usize) -> usize {
    if text.is_ascii() {
        return code_point.min(text.len());
    }
    text.char_indices().nth(code_point).map_or(text.len(), |(at, _)| at)
}
