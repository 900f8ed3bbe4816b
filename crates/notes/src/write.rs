//! Writing a whole note.

use crate::address::Address;
use crate::block::{Document, strip_supplied_block, utf8_lines};
use crate::error::NoteError;
use crate::files::Durability;
use crate::meta::Meta;
use crate::queue;
use crate::rewrite::{Changes, Crumple, rewrite};
use crate::scope::Scope;
use crate::store::{Content, Instant, Store, WriteOptions, check_size};

impl Store {
    /// Writes a note: creates it, or replaces its body and takes it out of the wastebasket.
    ///
    /// A frontmatter block at the start of the content is dropped. Creation time, access count and entries that are not
    /// ours stay. When it returns, the note is on disk; a crash before that leaves the old note or the new one, whole.
    ///
    /// # Errors
    /// `too_large`, `invalid_scope` (a home of somebody else), `outside_home`, `busy`, `io`.
    ///
    /// ```
    /// use palimpsest_notes::{Address, Clock, Identity, Store, WriteOptions};
    /// # let home = tempfile::tempdir().unwrap();
    /// # let identity = Identity::from_parts(home.path(), "s", "p-00000000", "a", "m")?;
    /// let store = Store::new(identity, Clock::system());
    /// let meta = store.write(&Address::parse("@project/plan")?, "1. measure\n2. cut\n", WriteOptions::default())?;
    /// assert_eq!(meta.access_count, 0.0);
    /// # Ok::<(), palimpsest_notes::NoteError>(())
    /// ```
    pub fn write(&self, address: &Address, content: &str, options: WriteOptions) -> Result<Meta, NoteError> {
        self.check_writable(address)?;
        let body = strip_supplied_block(content);
        let file = address.file(&self.identity);
        let _turn = queue::enter(&file);
        let _lock = self.lock()?;
        let target = self.target(&file)?;
        self.check_inside(address, &target)?;
        let old = Content::read(&target.real)?;
        let instant = Instant::stamped(&self.clock);
        let text = self.written(address, old, body, options, &instant);
        check_size(&text)?;
        self.replace(&target.real, &text, Durability::Flushed)?;
        Ok(Meta::of(&Document::parse(&text), address.home().scope(), &instant.context()))
    }

    fn written(
        &self,
        address: &Address,
        old: Option<Content>,
        body: &str,
        options: WriteOptions,
        instant: &Instant,
    ) -> String {
        let mut changes = Changes {
            origin: Some(options.origin),
            updated_at: Some(instant.now),
            crumpled: Crumple::Remove,
            body: Some(body),
            ..Changes::default()
        };
        let Some(old) = old else {
            if address.home().scope() == Scope::Session {
                changes.project = Some(self.identity.project().as_str());
            }
            return rewrite(&Document::parse(""), &changes, &instant.context());
        };
        let kept = if old.not_utf8 && Document::parse(&old.text).block.is_some() {
            utf8_lines(&old.bytes)
        } else if old.not_utf8 {
            String::new()
        } else {
            old.text
        };
        rewrite(&Document::parse(&kept), &changes, &instant.context())
    }
}
