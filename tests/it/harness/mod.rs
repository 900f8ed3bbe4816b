//! The harness on the plain Pi: each thing it offers does what it says.

mod model;
mod modes;
mod rpc;
mod wire;
