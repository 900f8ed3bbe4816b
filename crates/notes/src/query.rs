//! Listing and searching: which homes a query reaches, and the rows it gives.

use std::borrow::Cow;
use std::path::Path;

use regex::Regex;

use crate::block::Document;
use crate::error::NoteError;
use crate::identity::{Identity, Slug};
use crate::matcher::Matcher;
use crate::meta::Meta;
use crate::pattern::{Names, Namespace, Pattern, Reach};
use crate::read::counted;
use crate::scope::{Home, Scope};
use crate::store::{Instant, Store};
use crate::walk::{self, Found, NoteFile};

/// Which notes [`Store::list`] and [`Store::search`] look at; by default all live ones of the five current homes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Only notes whose rendered address matches.
    pub pattern: Option<Pattern>,
    /// Only one home: the current one of this scope, or the one that `who` names.
    pub scope: Option<Scope>,
    /// The agent or model whose home is meant; needs the scope `agent` or `model`.
    pub who: Option<Slug>,
    /// Only crumpled notes instead of only live ones.
    pub wastebasket: bool,
    /// Leave [`Row::body`] empty, so that a listing of very many notes takes little memory.
    pub omit_bodies: bool,
}

/// One note of a listing.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The rendered address.
    pub address: String,
    /// The kind of home.
    pub scope: Scope,
    /// The path in the home, with `.md`.
    pub path: String,
    /// The metadata.
    pub meta: Meta,
    /// The body; empty if the query omits bodies.
    pub body: String,
    /// UTF-8 bytes of the body, omitted or not.
    pub size_bytes: u64,
}

/// One note in which a search found something.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The rendered address.
    pub address: String,
    /// The kind of home.
    pub scope: Scope,
    /// The path in the home, with `.md`.
    pub path: String,
    /// The metadata.
    pub meta: Meta,
    /// The matching lines, each once, in order; at least one.
    pub matches: Vec<Match>,
}

/// A matching line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// 1-based line of the body.
    pub line: usize,
    /// The whole line without its LF.
    pub text: String,
    /// Code points from the start of the text that the next [`Store::read`] returns to the earliest occurrence.
    pub offset_chars: usize,
    /// Code points from the start of the file as it is now to the earliest occurrence.
    pub offset_on_disk: usize,
}

/// Rows of the homes that could be read, and the names of those that could not.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// `this session`, `@project`, `@human`, `@agents/<name>`, `@models/<name>`; `@agents` or `@models` if the names
    /// themselves could not be listed.
    pub unavailable: Vec<String>,
}

impl Query {
    /// The notes of a named agent or model.
    ///
    /// # Errors
    /// `invalid_scope` if the scope has no named homes or the name is no slug.
    ///
    /// ```
    /// use palimpsest_notes::{Query, Scope};
    /// assert!(Query::named(Scope::Agent, "reviewer").is_ok());
    /// assert!(Query::named(Scope::Project, "reviewer").is_err());
    /// ```
    pub fn named(scope: Scope, who: &str) -> Result<Self, NoteError> {
        let who = Some(slug_in_query(who)?);
        let query = Self { scope: Some(scope), who, ..Self::default() };
        query.named_home()?;
        Ok(query)
    }

    fn named_home(&self) -> Result<Option<Home>, NoteError> {
        match (self.scope, &self.who) {
            (scope, None) => Ok(scope.map(Home::current)),
            (Some(Scope::Agent), Some(name)) => Ok(Some(Home::Agent(name.clone()))),
            (Some(Scope::Model), Some(name)) => Ok(Some(Home::Model(name.clone()))),
            (Some(scope), Some(name)) => Err(NoteError::InvalidScope(format!(
                "the scope {scope} has no named homes, so {name:?} cannot be looked up in it",
                name = name.as_str()
            ))),
            (None, Some(name)) => {
                Err(NoteError::InvalidScope(format!("{:?} needs the scope agent or model", name.as_str())))
            }
        }
    }
}

impl Store {
    /// Lists notes, the most recently updated first, then by address. Changes no byte on disk.
    ///
    /// # Errors
    /// `invalid_scope` (scope and names that do not go together, or a pattern for a home whose name is no slug), `io`.
    ///
    /// ```
    /// # use palimpsest_notes::{Address, Clock, Identity, Pattern, Query, Store, WriteOptions};
    /// # let home = tempfile::tempdir().unwrap();
    /// # let identity = Identity::from_parts(home.path(), "s", "p-00000000", "a", "m")?;
    /// # let store = Store::new(identity, Clock::system());
    /// store.write(&Address::parse("@project/plan")?, "measure", WriteOptions::default())?;
    /// let query = Query { pattern: Some(Pattern::parse("@project/**")?), ..Query::default() };
    /// assert_eq!(store.list(&query)?[0].address, "@project/plan.md");
    /// # Ok::<(), palimpsest_notes::NoteError>(())
    /// ```
    pub fn list(&self, query: &Query) -> Result<Vec<Row>, NoteError> {
        self.listing(query)?.strict()
    }

    /// Like [`list`](Store::list), but homes that fail with `io` are skipped and named.
    ///
    /// # Errors
    /// `invalid_scope`, as there.
    pub fn list_available(&self, query: &Query) -> Result<Listing<Row>, NoteError> {
        Ok(self.listing(query)?.lenient())
    }

    /// Searches the bodies of notes for lines that hold any of the queries; rows by address. Changes no byte on disk.
    ///
    /// A query is a literal text, compared without regard to case (Unicode simple folding) and to whether characters
    /// are composed. An empty query matches every line, an empty list of queries none.
    ///
    /// # Errors
    /// `invalid_scope` (scope and names that do not go together, or a pattern for a home whose name is no slug), `io`.
    ///
    /// ```
    /// # use palimpsest_notes::{Address, Clock, Identity, Query, Store, WriteOptions};
    /// # let home = tempfile::tempdir().unwrap();
    /// # let identity = Identity::from_parts(home.path(), "s", "p-00000000", "a", "m")?;
    /// # let store = Store::new(identity, Clock::system());
    /// let plan = Address::parse("plan")?;
    /// store.write(&plan, "measure\nthen CUT\n", WriteOptions::default())?;
    /// let hits = store.search(&["cut"], &Query::default())?;
    /// let found = &hits[0].matches[0];
    /// assert_eq!((found.line, found.text.as_str()), (2, "then CUT"));
    /// let page = store.read_slice(&plan, found.offset_on_disk as i64, 3)?.expect("it was found");
    /// assert_eq!(page.text, "CUT");
    /// # Ok::<(), palimpsest_notes::NoteError>(())
    /// ```
    pub fn search<Q: AsRef<str>>(&self, queries: &[Q], query: &Query) -> Result<Vec<Hit>, NoteError> {
        self.hits(queries, query)?.strict()
    }

    /// Like [`search`](Store::search), but homes that fail with `io` are skipped and named.
    ///
    /// # Errors
    /// `invalid_scope`, as there.
    pub fn search_available<Q: AsRef<str>>(&self, queries: &[Q], query: &Query) -> Result<Listing<Hit>, NoteError> {
        Ok(self.hits(queries, query)?.lenient())
    }

    fn listing(&self, query: &Query) -> Result<Found<Row>, NoteError> {
        let instant = Instant::of(&self.clock);
        let mut found = self.look(query, |file, bytes, wastebasket| {
            let (text, not_utf8) = decode(bytes);
            let document = Document::parse(&text);
            let meta = Meta { not_utf8, ..Meta::of(&document, file.scope(), &instant.context()) };
            if meta.is_crumpled() != wastebasket {
                return None;
            }
            let size_bytes = document.body().len() as u64;
            let body = if query.omit_bodies { String::new() } else { document.body().to_owned() };
            Some(Row { address: file.address(), scope: file.scope(), path: file.path(), meta, body, size_bytes })
        })?;
        found
            .rows
            .sort_unstable_by(|a, b| b.meta.updated_at.cmp(&a.meta.updated_at).then_with(|| a.address.cmp(&b.address)));
        Ok(found)
    }

    fn hits<Q: AsRef<str>>(&self, queries: &[Q], query: &Query) -> Result<Found<Hit>, NoteError> {
        let matcher = Matcher::new(queries);
        let instant = Instant::of(&self.clock);
        let mut found = self.look(query, |file, bytes, wastebasket| {
            let matcher = matcher.as_ref().filter(|matcher| matcher.may_match(bytes))?;
            let (text, not_utf8) = decode(bytes);
            let document = Document::parse(&text);
            let mut matches = matches_in(document.body(), matcher);
            if matches.is_empty() {
                return None;
            }
            let meta = Meta { not_utf8, ..Meta::of(&document, file.scope(), &instant.context()) };
            if meta.is_crumpled() != wastebasket {
                return None;
            }
            let prefix = text[..document.body_start].chars().count();
            let next_prefix = if not_utf8 {
                prefix
            } else {
                let next = counted(&document, &instant.context());
                next[..next.len() - document.body().len()].chars().count()
            };
            for found in &mut matches {
                found.offset_chars += next_prefix;
                found.offset_on_disk += prefix;
            }
            Some(Hit { address: file.address(), scope: file.scope(), path: file.path(), meta, matches })
        })?;
        found.rows.sort_unstable_by(|a, b| a.address.cmp(&b.address));
        Ok(found)
    }

    /// Walks the homes that a query reaches and gives each selected file's bytes to `row`.
    fn look<T: Send>(
        &self,
        query: &Query,
        row: impl Fn(&NoteFile<'_>, &[u8], bool) -> Option<T> + Sync,
    ) -> Result<Found<T>, NoteError> {
        let pattern = query.pattern.as_ref().map(|pattern| pattern.concrete(&self.identity));
        let reached = reached_homes(&self.identity, query, pattern.as_ref())?;
        let filter = pattern.as_ref().filter(|pattern| !pattern.as_str().is_empty()).map(Pattern::matcher);
        let selected =
            |file: &NoteFile<'_>| filter.as_ref().is_none_or(|filter: &Regex| filter.is_match(&file.address()));
        let mut found =
            walk::visit(&self.identity, &reached.homes, selected, |file, bytes| row(file, bytes, query.wastebasket));
        found.failures.splice(0..0, reached.failure);
        Ok(found)
    }
}

/// The homes to walk, and the namespace that could not be enumerated.
struct Reached {
    homes: Vec<Home>,
    failure: Option<walk::Failure>,
}

impl From<Vec<Home>> for Reached {
    fn from(homes: Vec<Home>) -> Self {
        Self { homes, failure: None }
    }
}

fn reached_homes(identity: &Identity, query: &Query, pattern: Option<&Pattern>) -> Result<Reached, NoteError> {
    if let Some(home) = query.named_home()? {
        return Ok(vec![identity.concrete(&home)].into());
    }
    match pattern.map_or(Reach::Current, Pattern::reach) {
        Reach::Current => Ok(identity.homes().to_vec().into()),
        Reach::Project => Ok(vec![Home::Project].into()),
        Reach::Human => Ok(vec![Home::Human].into()),
        Reach::Nothing => Ok(Vec::new().into()),
        Reach::Named(namespace, Names::One(name)) => Ok(vec![named(namespace, slug_in_query(name)?)].into()),
        Reach::Named(namespace, Names::All) => Ok(enumerate(identity.home(), namespace)),
    }
}

/// All slug-named folders of a namespace in code-point order; links are not among them.
fn enumerate(root: &Path, namespace: Namespace) -> Reached {
    let (folder, name) = match namespace {
        Namespace::Agents => (root.join("agents"), "@agents"),
        Namespace::Models => (root.join("models"), "@models"),
    };
    match walk::subfolders(&folder) {
        Ok(names) => {
            let mut slugs: Vec<Slug> = names.iter().filter_map(|name| Slug::parse(name.to_str()?).ok()).collect();
            slugs.sort();
            let homes: Vec<Home> = slugs.into_iter().map(|slug| named(namespace, slug)).collect();
            homes.into()
        }
        Err(error) => {
            let failure = walk::Failure { home: name.to_owned(), error: NoteError::io(folder)(error) };
            Reached { homes: Vec::new(), failure: Some(failure) }
        }
    }
}

fn named(namespace: Namespace, name: Slug) -> Home {
    match namespace {
        Namespace::Agents => Home::Agent(name),
        Namespace::Models => Home::Model(name),
    }
}

fn slug_in_query(name: &str) -> Result<Slug, NoteError> {
    Slug::parse(name).map_err(|_| {
        NoteError::InvalidScope(format!(
            "{name:?} is no name of an agent or model: those are runs of a-z and 0-9 joined by single hyphens"
        ))
    })
}

/// A file's text, and whether U+FFFD stands for bytes in it that are not UTF-8.
fn decode(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => (String::from_utf8_lossy(bytes), true),
    }
}

/// The matching lines of a body, with offsets from its start.
fn matches_in(body: &str, matcher: &Matcher) -> Vec<Match> {
    let mut matches = Vec::new();
    let mut before = 0;
    for (index, line) in body.split('\n').enumerate() {
        if let Some(at) = matcher.find(line) {
            let offset = before + line[..at].chars().count();
            matches.push(Match {
                line: index + 1,
                text: line.to_owned(),
                offset_chars: offset,
                offset_on_disk: offset,
            });
        }
        before += line.chars().count() + 1;
    }
    matches
}
