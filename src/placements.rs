//! Pure arithmetic: where in memory stack and messages lie from sample to sample.
//!
//! Some code costs more where its locals lie badly to its tables, to the message or to the lines of the
//! cache: what counts are the last twelve bits of their addresses, and on some processors those of the page
//! too. The loader draws these anew for each process; left to it, a run has met a few places of 256 and the
//! next run a few others. So each run goes through all of them in an order of its own making.

/// Bytes of a page, and of the addresses within one that processors compare first.
pub const PAGE: usize = 4096;
/// The stack is moved in steps of so many bytes: calling conventions align it to that.
pub const STACK_STEP: usize = 16;
/// Places of the stack within a page.
pub const STACK_PLACES: usize = PAGE / STACK_STEP;
/// Pages the stack is moved over.
const STACK_PAGES: u32 = 8;
/// Messages are moved in steps of so many bytes ...
const LINE: usize = 64;
/// ... over so many places within a page ...
const LINES: usize = PAGE / LINE;
/// ... and over so many pages.
const MESSAGE_PAGES: usize = 8;

/// The place of the stack for one sample: of a worker, in one of its rounds of a case, at one size.
///
/// Steps near the golden section of 256 spread few samples as evenly as many, whichever of the three
/// grows: a fast case has many rounds of each worker, a slow one has many workers of a round, and a
/// line has 65 sizes.
#[must_use]
pub fn stack_place(worker: u32, round: u32, at: usize) -> usize {
    const WORKER: usize = 99;
    const ROUND: usize = 45;
    const SIZE: usize = 159;
    let sum = WORKER.wrapping_mul(worker as usize).wrapping_add(ROUND.wrapping_mul(round as usize));
    sum.wrapping_add(SIZE.wrapping_mul(at)) % STACK_PLACES
}

/// How many pages further down the stack lies in one of a worker's visits to a case.
#[must_use]
pub fn stack_pages(worker: u32, visit: u32) -> usize {
    (worker.wrapping_mul(5).wrapping_add(visit.wrapping_mul(3)) % STACK_PAGES) as usize
}

/// Bytes past the boundary of a page at which a message lies in one of a worker's visits, when
/// that of its first visit is `first`: as many past a line, for odd addresses stay odd.
#[must_use]
pub fn message_offset(first: usize, visit: u32) -> usize {
    let visit = visit as usize;
    let line = (first / LINE + visit.wrapping_mul(39)) % LINES;
    let page = (first / PAGE + visit.wrapping_mul(3)) % MESSAGE_PAGES;
    page * PAGE + line * LINE + first % LINE
}

/// The same of a worker's first visit, when its messages start `past_line` bytes past a line.
#[must_use]
pub fn first_offset(worker: u32, past_line: usize) -> usize {
    let worker = worker as usize;
    let line = worker.wrapping_mul(25) % LINES;
    let page = worker.wrapping_mul(5) % MESSAGE_PAGES;
    page * PAGE + line * LINE + past_line
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The widest gap between places on the circle.
    fn widest_gap(places: impl Iterator<Item = usize>, of: usize) -> usize {
        let places: Vec<usize> = places.collect::<BTreeSet<_>>().into_iter().collect();
        let next = places.iter().skip(1).copied().chain([places[0] + of]);
        places.iter().zip(next).map(|(a, b)| b - a).max().expect("some")
    }

    #[test]
    fn every_place_of_the_stack_is_met() {
        for all in [
            (0..256).map(|n| stack_place(n, 3, 7)).collect::<BTreeSet<_>>(),
            (0..256).map(|n| stack_place(3, n, 7)).collect(),
            (0..256).map(|n| stack_place(3, 7, n)).collect(),
        ] {
            assert_eq!(all.len(), STACK_PLACES);
        }
    }

    #[test]
    fn few_samples_are_spread_as_evenly_as_many() {
        // Evenly 16 are 16 apart and 64 are 4 apart; three times that is left nowhere.
        for (count, gap) in [(16, 48), (64, 12)] {
            let places: [Vec<usize>; 3] = [
                (0..count).map(|n| stack_place(n as u32, 0, 0)).collect(),
                (0..count).map(|n| stack_place(0, n as u32, 0)).collect(),
                (0..count).map(|n| stack_place(0, 0, n)).collect(),
            ];
            for places in places {
                let widest = widest_gap(places.into_iter(), STACK_PLACES);
                assert!(widest <= gap, "{count}: {widest}");
            }
        }
    }

    #[test]
    fn messages_move_by_lines_and_pages_and_stay_as_odd() {
        for past_line in [0, 1] {
            let first = first_offset(5, past_line);
            assert_eq!(message_offset(first, 0), first);
            let all: BTreeSet<usize> = (0..64).map(|n| message_offset(first, n)).collect();
            assert!(all.iter().all(|offset| offset % LINE == past_line));
            let lines = |all: &BTreeSet<usize>| -> BTreeSet<usize> {
                all.iter().map(|offset| offset % PAGE / LINE).collect()
            };
            assert_eq!(lines(&all).len(), LINES);
            let pages: BTreeSet<usize> = all.iter().map(|offset| offset / PAGE).collect();
            assert_eq!(pages.len(), MESSAGE_PAGES);
            let firsts: BTreeSet<usize> = (0..64).map(|n| first_offset(n, past_line)).collect();
            assert_eq!(lines(&firsts).len(), LINES);
        }
    }
}
