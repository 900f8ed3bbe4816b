//! Context windows that can be wiped without losing the task: one state machine that says what to do.
//!
//! An agent tells [`Windows`] what happens ([`Event`]) on which [`Branch`] of its session, answers the questions that come
//! up ([`Facts`]), and carries out what it is told ([`Action`]). A wipe by the model, without any host:
//!
//! ```
//! use palimpsest_window::*;
//!
//! /// What this agent knows; a real one asks its settings, its model and its session.
//! struct Host;
//!
//! impl Facts for Host {
//!     fn queued(&mut self) -> bool { false }
//!     fn policy(&mut self) -> Policy { Policy::default() }
//!     fn usage(&mut self) -> HostUsage { HostUsage { tokens: Some(20_000), context_window: Some(200_000) } }
//!     fn projection(&mut self) -> Option<Vec<Message>> { Some(Vec::new()) }
//!     fn names(&mut self) -> Names { Names { agent: "anonymous".into(), model: "default".into() } }
//!     fn draw(&mut self) -> u32 { 0x5eed }
//! }
//!
//! let mut windows = Windows::new(ToolNames::default());
//! let mut branch = Branch::new("01987a2f-session", 0);
//! let start = Start { enabled: true, missing: Vec::new(), stand_down: None };
//! // It wants a boot for the root window, as it will for every window; this story leaves that one out.
//! windows.handle(Event::Start(start), &branch, &mut Host);
//!
//! // The user asks for something, and in the course of it the model asks for a wipe.
//! branch.push(Entry { id: "1".into(), at: 1_000, kind: EntryKind::User });
//! let actions = windows.handle(Event::WipeTool, &branch, &mut Host);
//! assert!(matches!(&actions[..], [Action::Reply(reply)] if reply.json.contains("rollover_requested")));
//!
//! // The turn ends. The machine wants a boot for the fresh window, so the agent collects notes and what was said last.
//! let turn = TurnEnd { outcome: Outcome::Completed, stop: Some(Stop::ToolUse), aborted: false, overflow: false, tools: true };
//! let mut actions = windows.handle(Event::TurnEnd(turn), &branch, &mut Host);
//! let Some(Action::Build(build)) = actions.pop() else { panic!("a build was due") };
//! let request = Quote { text: "port the parser".into(), seq: Some(1) };
//! let material = Material {
//!     snapshot: Snapshot { taken_at: 2_000, homes: Vec::new() },
//!     payload: Payload { carry: Carry { request: Some(request), ..Carry::default() }, ..Payload::default() },
//!     carry_over: true,
//!     context_window: Some(200_000),
//! };
//! let built = Event::Built { build, material: Ok(Box::new(material)), aborted: false };
//! let actions = windows.handle(built, &branch, &mut Host);
//!
//! // Checkpoint, marker, boot and continuation go to the session; the next request begins behind the checkpoint.
//! let Some(Action::Boundary(Boundary { drafts, proceed: Some(true) })) = actions.last() else { panic!("a reset was due") };
//! for (at, draft) in drafts.iter().enumerate() {
//!     branch.push(draft.to_entry(&format!("{}", at + 2), 2_000));
//! }
//! assert_eq!(branch.windows().collect::<Vec<_>>(), ["pcw:01987a2f:root", "pcw:01987a2f:00005eed"]);
//! assert!(branch.committed("pcw:01987a2f:00005eed"));
//! let Draft::Message { content, .. } = &drafts[2] else { panic!("the boot is the third") };
//! assert!(content.contains("port the parser"));
//! ```
//!
//! What this crate is not: it reads no file, no clock and no random source, calls no model, keeps nothing across sessions
//! and knows no host. Numbers, times and texts come in as plain values; what must survive stands on the branch.
#![no_std]

extern crate alloc;

mod action;
mod boot;
mod branch;
mod budget;
mod build;
mod carry;
mod entry;
mod event;
mod facts;
mod lifecycle;
mod material;
mod message;
mod notes_index;
mod notices;
mod projection;
mod quote;
mod resets;
mod settings;
mod stages;
mod texts;
mod view;
mod vocabulary;
mod windows;

pub use action::{Action, Boundary, Closed, Draft, ToolReply, Wait};
pub use branch::{Branch, OpenCheckpoint, Said, Tail};
pub use budget::{HostUsage, Lines, Policy, Room};
pub use build::{Build, Deadline, Ended, Wanted};
pub use entry::{Compaction, Entry, EntryKind, Stop, TokenUsage};
pub use event::{BeforeSettle, Event, Outcome, Start, TurnEnd};
pub use facts::Facts;
pub use material::{
    Answer, Carry, Home, HomeNotes, Material, Names, NoteRow, Payload, Pin, Quote, Snapshot, Summary, Topic,
};
pub use message::{Body, Message, Weight, estimate};
pub use notices::{Level, Notice};
pub use projection::Projection;
pub use settings::{Settings, SettingsScope, Value};
pub use texts::CONTINUATION;
pub use view::{Versions, View, reset_mark};
pub use vocabulary::{CHECKPOINT_AUTHOR, Cause, MARKER_TAG, NEEDED_TOOLS, SETTINGS_KEY, Tag, ToolNames};
pub use windows::Windows;
