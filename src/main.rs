//! `bench-slope`: what a hash or a cipher costs per byte on this machine.

use std::process::ExitCode;

use bench_slope_algorithms::Catalogue;

fn main() -> ExitCode {
    ExitCode::from(bench_slope::run::run_here(std::env::args_os(), Catalogue::standard()))
}
