//! The public face of `palimpsest-notes`, tested as its users meet it. Comments name the lines of the acceptance list
//! (specification, part D1) that a test covers.

mod address;

mod edit;
mod errors;
mod frontmatter;
mod identity;
mod kill;
mod links;
mod list;
mod permission;
mod properties;
mod race;
mod read_write;
mod search;
mod support;
