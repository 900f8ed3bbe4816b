//! The history tools: what a call does, what the model is told, what the arguments are.

mod call;
mod definition;
mod output;
mod params;
mod search;

pub(crate) use call::Within;
pub use call::{History, Reply};
pub(super) use definition::{list, read, search, windows};
