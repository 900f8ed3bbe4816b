//! What a person sees of a tool call: lines of coloured segments, each within the width of the terminal.

mod call;
mod history;
mod lines;
mod mark;
mod result;
mod visible;

pub use call::{CallView, render_call};
pub use lines::{Line, Segment};
pub use mark::MarkView;
pub(crate) use mark::render_mark;
pub use result::{ResultView, render_result};
