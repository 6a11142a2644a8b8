//! All tests that need nothing but this process, as one program: linking is what most of the time of a
//! program of its own goes to. One file alone: `cargo test --test suite threads::`.

mod example;
mod invented;

mod absurd;
mod choosing;
mod command_line;
mod comparing;
mod counters;
mod doctor;
mod documents;
mod endless;
mod environment;
mod formats;
mod growth;
mod layers;
mod linearity;
mod picture;
mod placement;
mod points;
mod precision;
mod raw;
mod saved;
mod sizes;
mod statistics;
mod threads;
