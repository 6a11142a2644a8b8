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

/// What computes, with its versions as they are locked: `aes 0.9.0,blake3 1.8.0`. Cargo writes the
/// lock file itself, a field a line; a parser of all of TOML takes longer to build than this program's
/// own build script has to do.
fn packages(lock: &str) -> Option<String> {
    let all: Vec<&str> = lock.split("[[package]]\n").skip(1).collect();
    let field = |package: &str, key: &str| {
        let line = package.lines().find_map(|line| line.strip_prefix(key))?;
        line.strip_prefix(" = \"")?.strip_suffix('"').map(str::to_owned)
    };
    let named =
        |wanted: &str| all.iter().find(|package| field(package, "name").as_deref() == Some(wanted));
    let (_, dependencies) = named(ALGORITHMS)?.split_once("dependencies = [\n")?;
    let (dependencies, _) = dependencies.split_once("\n]")?;
    let mut listed = Vec::new();
    for dependency in dependencies.lines() {
        let dependency = dependency.trim().strip_prefix('"')?.strip_suffix("\",")?;
        // With its version behind it only where there are two of that name.
        let mut words = dependency.split(' ');
        let wanted = words.next()?;
        let version = match words.next() {
            Some(version) => version.to_owned(),
            None => field(named(wanted)?, "version")?,
        };
        listed.push(format!("{wanted} {version}"));
    }
    Some(listed.join(","))
}
