//! A list of sizes as people write it: `32,64,256,4KiB,1MB`.

use std::fmt::Display;
use std::ops::Deref;

use crate::fits::LONGEST_MESSAGE as LONGEST;

/// All messages together, for all lie in memory at once.
const LONGEST_TOGETHER: usize = 128 << 20;
/// The most sizes.
const MOST: usize = 32;

/// Sizes in bytes, ascending, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(Vec<usize>);

impl Deref for Sizes {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl Sizes {
    /// These in order, each once.
    ///
    /// # Errors
    /// That there are too many or too large ones.
    pub fn new(mut sizes: Vec<usize>) -> Result<Self, String> {
        sizes.sort_unstable();
        sizes.dedup();
        if sizes.len() > MOST {
            return Err(format!("{} sizes, {MOST} are the most", sizes.len()));
        }
        if let Some(bytes) = sizes.iter().find(|&&bytes| bytes > LONGEST) {
            return Err(too_long(bytes));
        }
        if sizes.iter().sum::<usize>() > LONGEST_TOGETHER {
            return Err("the sizes are more than 128 MiB together".to_owned());
        }
        Ok(Sizes(sizes))
    }
}

fn too_long(size: impl Display) -> String {
    format!("'{size}' is more than 64 MiB, the longest message")
}

/// Reads a list of sizes.
///
/// # Errors
/// The word that is none, or that there are too many or too large ones.
pub fn sizes(list: &str) -> Result<Sizes, String> {
    Sizes::new(list.split(',').map(|word| size(word.trim())).collect::<Result<_, _>>()?)
}

/// One size: bytes, or with a unit of 1000 (kB, MB) or 1024 (KiB, MiB).
fn size(word: &str) -> Result<usize, String> {
    let wanted = "a size is bytes or has a unit, such as 1024, 4KiB or 1MB";
    // Digits and a unit: a part of a byte, as 1.5 or 15e-1, would be rounded away.
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_whole = unit.chars().all(|c| c.is_ascii_alphabetic() || c == ' ');
    let parsed = if is_whole { parse_size::parse_size(word).ok() } else { None };
    let bytes = parsed.ok_or_else(|| format!("'{word}' is no size: {wanted}"))?;
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    if bytes > LONGEST {
        return Err(too_long(word));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_1000_and_of_1024() {
        let read = |list| sizes(list).expect(list).to_vec();
        assert_eq!(read("32,64,256,4KiB,1MB"), [32, 64, 256, 4096, 1_000_000]);
        assert_eq!(read("1MiB, 2kB ,7B,0"), [0, 7, 2000, 1 << 20]);
        assert_eq!(read("64,1KiB,64,1024"), [64, 1024]);
        assert_eq!(read("64MiB,64MB"), [64_000_000, 64 << 20]);
    }

    #[test]
    fn what_is_no_size_is_named() {
        for (list, word) in [
            ("", "''"),
            ("64,", "''"),
            ("64,abc", "'abc'"),
            ("-1", "'-1'"),
            ("1.5KiB", "'1.5KiB'"),
            ("15e-1", "'15e-1'"),
            ("1e3", "'1e3'"),
            ("1KiBi", "'1KiBi'"),
            ("65MiB", "'65MiB'"),
            ("99999999999999999999999", "'99999999999999999999999'"),
            ("8EiB", "'8EiB'"),
            ("nan", "'nan'"),
        ] {
            let error = sizes(list).expect_err(list);
            assert!(error.contains(word), "{list}: {error}");
        }
        let many: Vec<String> = (0..33).map(|size| size.to_string()).collect();
        assert!(sizes(&many.join(",")).is_err());
        assert!(sizes(&many[..32].join(",")).is_ok());
        assert!(sizes("64MiB,63MiB,1MiB").is_ok());
        assert!(sizes("64MiB,63MiB,2MiB").is_err());
        assert_eq!(*Sizes::new(vec![64, 0, 64]).expect("two"), [0, 64]);
        assert!(Sizes::new(vec![usize::MAX; 2]).is_err());
    }
}
