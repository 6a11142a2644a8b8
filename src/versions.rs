//! What ran: versions, build, and the processor's features that implementations choose by.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What ran. A part that is not known is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Versions {
    /// This program's version.
    pub bench_slope: String,
    /// The target it is built for.
    pub target: String,
    /// Cargo's profile, or the one that the profile inherits from: `release` or `debug`.
    pub profile: String,
    /// The level of optimisation.
    pub opt_level: String,
    /// Flags given to the compiler beside cargo's own.
    pub flags: String,
    /// Features of the processor that the compiler took for granted.
    pub target_features: Vec<String>,
    /// The compiler.
    pub compiler: String,
    /// Features of this processor among those that implementations look for; `None` where that is
    /// not known for the architecture.
    pub cpu_features: Option<Vec<String>>,
    /// Packages that compute, with their versions as `Cargo.lock` has them.
    pub packages: BTreeMap<String, String>,
}

impl Versions {
    /// Those of this program on this machine.
    #[must_use]
    pub fn of_this_program() -> Self {
        let words = |text: &str, separator: char| -> Vec<String> {
            text.split(separator).filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let mut packages: BTreeMap<String, String> = BTreeMap::new();
        for package in words(env!("BENCH_SLOPE_PACKAGES"), ',') {
            let Some((name, version)) = package.split_once(' ') else { continue };
            let versions = packages.entry(name.to_owned()).or_default();
            let separator = if versions.is_empty() { "" } else { ", " };
            versions.push_str(&format!("{separator}{version}"));
        }
        Versions {
            bench_slope: env!("CARGO_PKG_VERSION").to_owned(),
            target: env!("BENCH_SLOPE_TARGET").to_owned(),
            profile: env!("BENCH_SLOPE_PROFILE").to_owned(),
            opt_level: env!("BENCH_SLOPE_OPT_LEVEL").to_owned(),
            flags: env!("BENCH_SLOPE_FLAGS").to_owned(),
            target_features: words(env!("BENCH_SLOPE_TARGET_FEATURES"), ','),
            compiler: env!("BENCH_SLOPE_COMPILER").to_owned(),
            cpu_features: cpu_features(),
            packages,
        }
    }

    /// One line for each, as `--version --verbose` prints them.
    #[must_use]
    pub fn lines(&self) -> String {
        let known = |list: &[String]| list.join(" ");
        let features = match &self.cpu_features {
            Some(features) => known(features),
            None => "unknown".to_owned(),
        };
        let mut text = String::new();
        for (name, value) in [
            ("target", self.target.clone()),
            ("profile", format!("{}, optimisation {}", self.profile, self.opt_level)),
            ("flags", self.flags.clone()),
            ("target features", known(&self.target_features)),
            ("compiler", self.compiler.clone()),
            ("processor features", features),
        ] {
            text.push_str(format!("{name}: {value}").trim_end());
            text.push('\n');
        }
        for (name, version) in &self.packages {
            text.push_str(&format!("crate {name}: {version}\n"));
        }
        text
    }
}

/// Those features of the list that this processor has.
macro_rules! detected {
    ($has:ident: $($feature:tt)+) => {
        [$(($feature, std::arch::$has!($feature))),+]
    };
}

fn cpu_features() -> Option<Vec<String>> {
    #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
    let all = detected![is_x86_feature_detected:
        "sse2" "ssse3" "sse4.1" "sse4.2" "avx" "avx2" "avx512f" "avx512bw" "avx512dq" "avx512vl"
        "avx512vbmi" "avx512ifma" "aes" "vaes" "pclmulqdq" "vpclmulqdq" "gfni" "sha" "sha512"
        "sm3" "sm4" "bmi1" "bmi2" "adx" "movbe"];
    #[cfg(target_arch = "aarch64")]
    let all = detected![is_aarch64_feature_detected:
        "neon" "aes" "pmull" "sha2" "sha3" "sm4" "crc" "sve" "sve2" "sve2-aes" "sve2-sha3"];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64")))]
    return None;
    #[cfg(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64"))]
    Some(all.iter().filter(|(_, has)| *has).map(|(name, _)| (*name).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_the_versions_that_are_locked() {
        let lock = include_str!("../Cargo.lock");
        let versions = Versions::of_this_program();
        assert!(versions.packages.len() > 50, "{:?}", versions.packages);
        for name in ["sha2", "aes", "blake3", "cipher"] {
            let version = &versions.packages[name];
            let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            assert!(lock.contains(&entry), "{entry}");
        }
    }

    #[test]
    fn the_build_is_told() {
        let text = Versions::of_this_program().lines();
        assert!(text.contains(std::env::consts::ARCH), "{text}");
        assert!(text.contains("\ncompiler: rustc "), "{text}");
    }
}
