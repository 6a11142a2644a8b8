//! How it is timed and told. What can be timed is in `bench-slope-algorithms`.
//!
//! The modules have one order, which `docs/architecture.md` tells: none uses one that comes after
//! it, and `tests/layers.rs` holds them to it.

pub mod batches;
pub mod bytes;
pub mod choose;
pub mod cli;
pub mod clock;
pub mod compare;
pub mod costs;
pub mod count;
pub mod counters;
pub mod cpus;
pub mod doctor;
pub mod endless;
pub mod environment;
pub mod exact;
pub mod fit;
pub mod fits;
pub mod frequency;
pub mod gather;
pub mod group;
pub mod growth;
pub mod known_cost;
pub mod layouts;
pub mod linearity;
pub mod output;
pub mod parallel;
pub mod placements;
pub mod quiet;
pub mod ready;
pub mod record;
pub mod report;
pub mod rows;
pub mod run;
pub mod sample;
pub mod saved;
pub mod scaling;
pub mod schedule;
pub mod selftest;
pub mod single;
pub mod staircase;
pub mod tally;
pub mod tell;
pub mod threads;
pub mod timed;
pub mod versions;
pub mod visit;
pub mod warning;
pub mod wire;
pub mod worker;
