//! The lengths of message that an algorithm takes.

use crate::routine::OpenError;

/// The lengths of message that an algorithm takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// Every length.
    All,
    /// Whole blocks of so many bytes.
    Blocks(usize),
    /// Nothing, or so many bytes and more. The empty message of XTS costs what its tweak costs, so
    /// that time is a straight line from there on.
    ZeroOrFrom(usize),
    /// So many bytes at most.
    UpTo(usize),
}

impl Lengths {
    /// Whether a message may be so long.
    #[must_use]
    pub fn takes(self, bytes: usize) -> bool {
        match self {
            Lengths::All => true,
            Lengths::Blocks(block) => bytes.is_multiple_of(block),
            Lengths::ZeroOrFrom(least) => bytes == 0 || bytes >= least,
            Lengths::UpTo(most) => bytes <= most,
        }
    }

    /// The lengths it takes that are nearest to one it does not, the shorter first.
    #[must_use]
    pub fn nearest(self, bytes: usize) -> Vec<usize> {
        match self {
            _ if self.takes(bytes) => vec![bytes],
            Lengths::All => Vec::new(),
            Lengths::Blocks(block) => {
                let below = bytes / block * block;
                [Some(below), below.checked_add(block)].into_iter().flatten().collect()
            }
            Lengths::ZeroOrFrom(least) => vec![0, least],
            Lengths::UpTo(most) => vec![most],
        }
    }

    /// Refuses a message that it does not take.
    pub(crate) fn check(self, bytes: usize) -> Result<(), OpenError> {
        let wanted = match self {
            _ if self.takes(bytes) => return Ok(()),
            Lengths::All => "every length".to_owned(),
            Lengths::Blocks(block) => format!("whole blocks of {block} bytes"),
            Lengths::ZeroOrFrom(least) => format!("nothing or {least} bytes and more"),
            Lengths::UpTo(most) => format!("{most} bytes at most"),
        };
        Err(OpenError(format!("the mode takes {wanted}, {bytes} bytes were asked for")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_lengths_are_taken() {
        assert_eq!(Lengths::Blocks(16).nearest(33), [32, 48]);
        assert_eq!(Lengths::Blocks(16).nearest(5), [0, 16]);
        assert_eq!(Lengths::Blocks(16).nearest(usize::MAX), [usize::MAX - 15]);
        assert_eq!(Lengths::ZeroOrFrom(16).nearest(15), [0, 16]);
        assert_eq!(Lengths::UpTo(99).nearest(100), [99]);
        let up_to = Lengths::UpTo(40);
        for lengths in [Lengths::All, Lengths::Blocks(8), Lengths::ZeroOrFrom(16), up_to] {
            for bytes in 0..100 {
                assert_eq!(lengths.check(bytes).is_ok(), lengths.takes(bytes));
                assert!(lengths.nearest(bytes).into_iter().all(|near| lengths.takes(near)));
            }
        }
    }
}
