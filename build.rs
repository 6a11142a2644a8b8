//! Tells the program what it was built of and how, for `--version --verbose` and for saved runs.

use std::env;
use std::path::Path;
use std::process::Command;

/// The package whose dependencies compute what is timed.
const ALGORITHMS: &str = "bench-slope-algorithms";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=Cargo.lock");
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let compiler = Command::new(variable("RUSTC")).arg("--version").output();
    let compiler = compiler.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    let lock = Path::new(&variable("CARGO_MANIFEST_DIR")).join("Cargo.lock");
    let lock = std::fs::read_to_string(lock).ok();
    let told = [
        ("TARGET", variable("TARGET")),
        ("PROFILE", variable("PROFILE")),
        ("OPT_LEVEL", variable("OPT_LEVEL")),
        // A blank does not occur within a flag that is one word.
        ("FLAGS", variable("CARGO_ENCODED_RUSTFLAGS").replace('\u{1f}', " ")),
        ("TARGET_FEATURES", variable("CARGO_CFG_TARGET_FEATURE")),
        ("COMPILER", compiler.unwrap_or_default().trim().to_owned()),
        ("PACKAGES", lock.and_then(|lock| packages(&lock)).unwrap_or_default()),
    ];
    for (name, value) in told {
        println!("cargo::rustc-env=BENCH_SLOPE_{name}={value}");
    }
}

/// What computes, with its versions as they are locked: `aes 0.9.0,blake3 1.8.0`.
fn packages(lock: &str) -> Option<String> {
    let lock: toml::Table = lock.parse().ok()?;
    let all = lock.get("package")?.as_array()?;
    let word = |package: &toml::Value, key: &str| Some(package.get(key)?.as_str()?.to_owned());
    let name = |package: &toml::Value| word(package, "name");
    let ours = all.iter().find(|package| name(package).as_deref() == Some(ALGORITHMS))?;
    let mut listed = Vec::new();
    for dependency in ours.get("dependencies")?.as_array()? {
        // With its version behind it only where there are two of that name.
        let mut words = dependency.as_str()?.split(' ');
        let wanted = words.next()?;
        let version = match words.next() {
            Some(version) => version.to_owned(),
            None => word(all.iter().find(|p| name(p).as_deref() == Some(wanted))?, "version")?,
        };
        listed.push(format!("{wanted} {version}"));
    }
    Some(listed.join(","))
}
