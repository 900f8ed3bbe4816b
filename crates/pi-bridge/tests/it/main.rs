//! What the bridge promises, without a host: acceptance lines of the specification (D2, D3) by number, and the laws of the
//! wire formats as properties.

mod bench;
mod diff;
mod edit;
mod engine;
mod errors;
mod facts;
mod history;
mod lists;
mod manual;
mod place;
mod read;
mod render;
mod start;
mod windows;
