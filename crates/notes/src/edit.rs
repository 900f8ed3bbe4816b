//! Editing a note: exact replacements in the body, origin, wastebasket.

use crate::address::Address;
use crate::block::Document;
use crate::error::{NoMatchReason, NoteError};
use crate::files::Durability;
use crate::meta::Meta;
use crate::queue;
use crate::rewrite::{Changes, Crumple, rewrite};
use crate::store::{Change, ChangeKind, Content, Edit, EditOptions, Edited, Instant, NOTE_CAP, Store, check_size};

/// Largest body between two edits of a batch, in UTF-8 bytes: a short text that occurs very often and a long replacement
/// would otherwise fill all memory before the size is checked.
const WORKING_CAP: usize = 100 * NOTE_CAP;

impl Store {
    /// Edits a note: replaces exact stretches of its body, one after the other, and sets origin or wastebasket.
    ///
    /// All or nothing. Old text must occur exactly once unless `replace_all` is set; occurrences are counted left to
    /// right without overlap. In a body whose line ends are all CRLF, texts given with LF match and are stored as CRLF.
    /// The time of update changes only if the body or the origin did.
    ///
    /// # Errors
    /// `too_large`, `invalid_scope` (a home of somebody else), `nothing_to_do`, `not_found`, `outside_home`, `not_utf8`,
    /// `no_match`, `ambiguous_edit`, `busy`, `io`.
    ///
    /// ```
    /// # use palimpsest_notes::{Address, ChangeKind, Clock, Edit, EditOptions, Identity, Store, WriteOptions};
    /// # let home = tempfile::tempdir().unwrap();
    /// # let identity = Identity::from_parts(home.path(), "s", "p-00000000", "a", "m")?;
    /// # let store = Store::new(identity, Clock::system());
    /// let plan = Address::parse("plan")?;
    /// store.write(&plan, "measure once", WriteOptions::default())?;
    /// let edit = Edit { old_text: "once".into(), new_text: "twice".into() };
    /// let edited = store.edit(&plan, &[edit], EditOptions::default())?;
    /// assert_eq!(edited.change.kind, ChangeKind::Body);
    /// assert_eq!(edited.change.after, "measure twice");
    /// # Ok::<(), palimpsest_notes::NoteError>(())
    /// ```
    pub fn edit(&self, address: &Address, edits: &[Edit], options: EditOptions) -> Result<Edited, NoteError> {
        self.check_writable(address)?;
        if edits.is_empty() && options.origin.is_none() && options.crumpled.is_none() {
            return Err(NoteError::NothingToDo);
        }
        let file = address.file(&self.identity);
        let _turn = queue::enter(&file);
        // A note that does not exist is no reason to create the lock file, or to wait for it.
        if !self.target(&file)?.exists {
            return Err(self.not_found(address));
        }
        let _lock = self.lock()?;
        let target = self.target(&file)?;
        self.check_inside(address, &target)?;
        let Some(old) = Content::read(&target.real)? else {
            return Err(self.not_found(address));
        };
        if old.not_utf8 {
            return Err(NoteError::NotUtf8 { address: address.render(&self.identity) });
        }
        let instant = Instant::stamped(&self.clock);
        let document = Document::parse(&old.text);
        let body = apply(document.body(), edits, options.replace_all)?;
        let before = Meta::of(&document, address.home().scope(), &instant.context());
        let body_changed = body != document.body();
        let origin_changed = options.origin.is_some_and(|origin| origin != before.origin);
        let changes = Changes {
            origin: options.origin,
            updated_at: (body_changed || origin_changed).then_some(instant.now),
            crumpled: match options.crumpled {
                Some(true) => Crumple::Set(instant.now),
                Some(false) => Crumple::Remove,
                None => Crumple::Keep,
            },
            body: Some(&body),
            ..Changes::default()
        };
        let text = rewrite(&document, &changes, &instant.context());
        check_size(&text)?;
        self.replace(&target.real, &text, Durability::Flushed)?;

        let new_document = Document::parse(&text);
        let meta = Meta::of(&new_document, address.home().scope(), &instant.context());
        let metadata_changed = origin_changed || before.crumpled_at != meta.crumpled_at;
        let change = describe(&document, &new_document, body_changed, metadata_changed);
        Ok(Edited { meta, applied: edits.len(), change })
    }
}

fn describe(old: &Document<'_>, new: &Document<'_>, body_changed: bool, metadata_changed: bool) -> Change {
    let (kind, before, after) = match (body_changed, metadata_changed) {
        (true, true) => (ChangeKind::File, old.text, new.text),
        (true, false) => (ChangeKind::Body, old.body(), new.body()),
        (false, true) => (ChangeKind::Metadata, old.block_text(), new.block_text()),
        (false, false) => (ChangeKind::None, "", ""),
    };
    Change { kind, before: before.to_owned(), after: after.to_owned() }
}

fn apply(body: &str, edits: &[Edit], replace_all: bool) -> Result<String, NoteError> {
    let crlf = only_crlf(body);
    let mut body = body.to_owned();
    for (edit_index, edit) in edits.iter().enumerate() {
        let no_match = |reason| NoteError::NoMatch { edit_index, reason };
        if edit.old_text.is_empty() {
            return Err(no_match(NoMatchReason::EmptyOldText));
        }
        let (old, new) = if crlf {
            let old = if edit.old_text.contains('\r') { edit.old_text.clone() } else { to_crlf(&edit.old_text) };
            (old, to_crlf(&edit.new_text))
        } else {
            (edit.old_text.clone(), edit.new_text.clone())
        };
        let matches: Vec<usize> = body.match_indices(&old).map(|(at, _)| at).collect();
        if matches.is_empty() {
            return Err(no_match(NoMatchReason::ZeroMatches));
        }
        if matches.len() > 1 && !replace_all {
            return Err(NoteError::AmbiguousEdit { edit_index, line_numbers: line_numbers(&body, &matches) });
        }
        // Not what is stored in the end, which later edits may shrink; only what memory must hold on the way there.
        let kept = body.len() - matches.len() * old.len();
        let size = kept.saturating_add(matches.len().saturating_mul(new.len()));
        if size > WORKING_CAP {
            return Err(NoteError::TooLarge { what: "the body on the way", limit: WORKING_CAP, actual: size });
        }
        body = body.replace(&old, &new);
    }
    Ok(body)
}

/// Whether there are line ends and each is CRLF.
fn only_crlf(body: &str) -> bool {
    let mut ends = body.split('\n');
    ends.next_back();
    let mut any = false;
    ends.all(|line| {
        any = true;
        line.ends_with('\r')
    }) && any
}

/// Makes each LF that does not follow a CR a CRLF.
fn to_crlf(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' && !out.ends_with('\r') {
            out.push('\r');
        }
        out.push(c);
    }
    out
}

/// The 1-based lines on which ascending byte offsets lie.
fn line_numbers(body: &str, offsets: &[usize]) -> Vec<usize> {
    let (mut line, mut seen) = (1, 0);
    offsets
        .iter()
        .map(|&offset| {
            line += body[seen..offset].bytes().filter(|&byte| byte == b'\n').count();
            seen = offset;
            line
        })
        .collect()
}
