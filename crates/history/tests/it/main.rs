//! The public face of `palimpsest-history`, tested as its users meet it. Comments name the lines of the acceptance list
//! (specification, part D3) that a test covers.

mod damage;
mod events;
mod files;
mod hostile;
mod model;
mod mutations;
mod paging;
mod properties;
mod real;
mod search;
mod spellings;
mod support;
mod walks;
mod windows;
