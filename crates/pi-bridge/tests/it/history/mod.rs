//! The history tools without a host: acceptance lines of the specification (D3) by number.

mod desk;
mod errors;
mod events;
mod live;
mod log;
mod pages;
mod project;
mod reads;
mod windows;
