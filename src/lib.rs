//! How it is timed.
pub mod clock;
pub mod cpus;
pub mod frequency;
pub mod sample;
pub mod schedule;
pub mod worker;
