//! The public face of `palimpsest-window`, tested as its users meet it. Comments name the lines of the acceptance list
//! (specification, part G) that a test covers.

mod support;
mod world;

mod boot;
mod budget;
mod commands;
mod composer;
mod estimate;
mod histories;
mod lookups;
mod model;
mod overflow;
mod people;
mod projection;
mod reducers;
mod repair;
mod settings;
mod texts;
