//! What bench-slope can time: every algorithm of the catalogue, how to open it, and the answers
//! it must give. Nothing in this crate looks at a clock or prints.
//!
//! ```
//! use bench_slope_algorithms::{Catalogue, Placement, Section};
//!
//! let catalogue = Catalogue::standard();
//! let entry = catalogue.find(Section::Hash, "sha-256").expect("SHA256 is there");
//! let case = entry.case(entry.operations[0]);
//! catalogue.verify(&case, usize::MAX).expect("it gives the standard's answers");
//!
//! let mut routine = case.open(&case.timing_setup(Placement::default())).expect("opens");
//! routine.prepare(64).expect("64 bytes are fine");
//! routine.run();
//! assert_eq!(routine.output().len(), 32);
//! ```

mod answers;
mod catalogue;
mod entry;
mod lengths;
mod routine;
mod rustcrypto;
mod vectors;

pub use catalogue::{Catalogue, UnknownName, Unverified};
pub use entry::{Axis, Case, Entry, KnownAs, Open, Operation, Section};
pub use lengths::Lengths;
pub use routine::{Buffer, OpenError, Placement, Routine, Setup, gives_back, message_bytes};
pub use vectors::{Bytes, Vector, VectorError, hex};
