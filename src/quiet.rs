//! What a core reads when it is quiet, by its kind: an idea of quiet that does not depend on having
//! met a quiet moment.
//!
//! The lowest contention a run meets is taken for quiet. Neighbours that stay from its beginning to
//! its end make that wrong, and only a value from elsewhere can tell. A table of such values has
//! what was measured with these very kernels, and nothing that was reckoned: how many operations a
//! core begins in a cycle is known of many, how close it comes to that is not.

/// A processor as its maker numbers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processor {
    /// The maker's twelve letters.
    pub vendor: String,
    /// The family, extension included.
    pub family: u8,
    /// The model, extension included.
    pub model: u8,
}

/// What a kind of core reads when nothing shares it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownQuiet {
    /// Whose value it is.
    pub cores: &'static str,
    /// The highest contention that was read of a quiet one.
    pub highest: f64,
}

/// Golden Cove and its successor in servers begin five additions a cycle: 0.2031 with the loop's own
/// operation. Read were 0.2106 to 0.2130, on guests with strangers on the other thread now and then,
/// over many runs (2026-11).
const GOLDEN_COVE: KnownQuiet =
    KnownQuiet { cores: "Sapphire and Emerald Rapids", highest: 0.2130 };

impl Processor {
    /// The one this runs on; `None` where it is not told.
    #[must_use]
    pub fn here() -> Option<Processor> {
        #[cfg(target_arch = "x86_64")]
        {
            let cpuid = raw_cpuid::CpuId::new();
            let (vendor, features) = (cpuid.get_vendor_info()?, cpuid.get_feature_info()?);
            Some(Processor {
                vendor: vendor.as_str().to_owned(),
                family: features.family_id(),
                model: features.model_id(),
            })
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// What this kind reads when quiet; `None` when nobody has measured it.
    #[must_use]
    pub fn known_quiet(&self) -> Option<KnownQuiet> {
        match (self.vendor.as_str(), self.family, self.model) {
            ("GenuineIntel", 6, 0x8f | 0xcf) => Some(GOLDEN_COVE),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_measured_is_known() {
        let of = |vendor: &str, family, model| {
            Processor { vendor: vendor.to_owned(), family, model }.known_quiet()
        };
        assert_eq!(of("GenuineIntel", 6, 0x8f), Some(GOLDEN_COVE));
        assert_eq!(of("GenuineIntel", 6, 0xcf), Some(GOLDEN_COVE));
        assert_eq!(of("GenuineIntel", 6, 0x6a), None, "Ice Lake");
        assert_eq!(of("AuthenticAMD", 6, 0xcf), None, "another maker's numbers");
        assert_eq!(of("GenuineIntel", 15, 0xcf), None, "another family");
        assert_eq!(of("", 0, 0), None);
    }
}
