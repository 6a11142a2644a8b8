//! All tests of the catalogue from outside, as one program: each would link every algorithm again.

mod agreement;
mod known_answers_cipher;
mod known_answers_hash;
mod known_answers_mac_kdf;
mod round_trips;
