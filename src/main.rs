//! x
fn main() {
    let c = bench_slope_algorithms::Catalogue::standard();
    bench_slope::worker::serve(
        &c,
        &*bench_slope::clock::machine_clock(),
        &mut std::io::stdin(),
        &mut std::io::stdout().lock(),
    )
    .unwrap();
}
