//! Rows that are measured at once: as many as have room for their messages.

use bench_slope_algorithms::Case;

/// Bytes of message that the rows measured at once may have together.
const MOST_BYTES: usize = 32 << 20;

/// Cuts cases into those measured at once; a row and the same at other sizes stay together, for they
/// are to be compared. `sizes` are those of all messages, where they are not the usual ones.
#[must_use]
pub fn batches<'a>(cases: &'a [Case], sizes: Option<&[usize]>) -> Vec<&'a [Case]> {
    let longest = |case: &Case| match sizes {
        Some(sizes) => sizes.iter().copied().max().unwrap_or(0),
        None => case.entry.axis.message_bytes(),
    };
    let mut batches = Vec::new();
    let (mut begin, mut end, mut bytes) = (0, 0, 0_usize);
    for family in cases.chunk_by(|one, other| one.id() == other.id()) {
        let own = family.iter().map(longest).fold(0, usize::saturating_add);
        if bytes.saturating_add(own) > MOST_BYTES && end > begin {
            batches.push(&cases[begin..end]);
            (begin, bytes) = (end, 0);
        }
        end += family.len();
        bytes = bytes.saturating_add(own);
    }
    if end > begin {
        batches.push(&cases[begin..end]);
    }
    batches
}

#[cfg(test)]
mod tests {
    use bench_slope_algorithms::{Catalogue, Section};

    use super::*;
    use crate::exact::expand;

    #[test]
    fn long_messages_take_turns_and_families_stay_together() {
        let catalogue = Catalogue::standard();
        let hashes: Vec<Case> = catalogue.cases(Section::Hash).collect();
        assert_eq!(batches(&hashes, None).len(), 1);
        assert_eq!(batches(&hashes, Some(&[16, 2 << 20]))[0].len(), 16);
        assert!(batches(&[], None).is_empty());
        for sizes in [&[32, 1 << 20][..], &[20 << 20, 64 << 20]] {
            let all = expand(&hashes, sizes);
            let batches = batches(&all, None);
            assert!(batches.len() > 1);
            assert_eq!(batches.concat().len(), 3 * hashes.len());
            for batch in batches {
                assert_eq!(batch.len() % 3, 0);
                let bytes: usize = batch.iter().map(|case| case.entry.axis.message_bytes()).sum();
                assert!(bytes <= MOST_BYTES || batch.len() == 3, "{bytes}");
            }
        }
    }
}
