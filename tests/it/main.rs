//! The end-to-end tests: first the harness itself on the plain Pi, then the extension.

mod extension;
mod harness;
