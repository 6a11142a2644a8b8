//! Rows on several processors at once: the sum, and how it scales.

use std::io;
use std::path::Path;

use bench_slope_algorithms::Case;

use crate::cpus;
use crate::group::{Gathered, Machine, Progress};
use crate::record::{Measured, Record};
use crate::scaling::{FEWEST_PROCESSES, Pair, Parallel, Scaling, free};
use crate::warning::Warning;
use crate::wire::{Event, Failure, Order, Request};

/// A row whose scaling is known to this share needs no further process.
const EXACT: f64 = 0.01;
/// Processes that a row has at most.
const MOST_PROCESSES: u32 = 16;

/// Processors that share a core in a smaller share of the windows than this do not decide a median.
const RARELY: f64 = 0.1;

/// Processors for so many threads: those of `preferred` first, and of these one of each core before
/// the second of any.
///
/// # Errors
/// When there are fewer processors, or they cannot be chosen.
pub fn choose(threads: usize, preferred: &[usize], root: &Path) -> Result<Parallel, String> {
    let allowed = cpus::allowed().filter(|allowed| !allowed.is_empty());
    let processors = match &allowed {
        Some(allowed) => allowed.len(),
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    if threads > processors {
        let plural = if processors == 1 { "" } else { "s" };
        return Err(format!("this process may run on {processors} processor{plural}"));
    }
    let core = |cpu: usize| cpus::core(root, cpu);
    let mut chosen = spread(&allowed.unwrap_or_default(), preferred, &core);
    chosen.truncate(threads);
    // A sandbox may let the mask be read but not written.
    chosen.iter().try_for_each(|&cpu| cpus::check_pin(cpu))?;
    let cores: Option<Vec<String>> = chosen.iter().map(|&cpu| core(cpu)).collect();
    let cores = cores.filter(|cores| !cores.is_empty()).map(|mut cores| {
        cores.sort();
        cores.dedup();
        cores.len()
    });
    Ok(Parallel { cpus: chosen, threads, cores })
}

/// Processors in the order to take them.
fn spread(
    allowed: &[usize],
    preferred: &[usize],
    core: &dyn Fn(usize) -> Option<String>,
) -> Vec<usize> {
    let mut taken = Vec::new();
    let mut second = Vec::new();
    let mut first: Vec<usize> = allowed.to_vec();
    first.sort_by_key(|cpu| !preferred.contains(cpu));
    first.retain(|&cpu| {
        let Some(core) = core(cpu) else { return true };
        let is_new = !taken.contains(&core);
        if is_new {
            taken.push(core);
        } else {
            second.push(cpu);
        }
        is_new
    });
    // The second of a preferred core comes before the first of another.
    let mut all = [first, second].concat();
    all.sort_by_key(|cpu| !preferred.contains(cpu));
    all
}

/// A row that is being measured.
struct Row<'a> {
    case: &'a Case,
    processes: Vec<Vec<Pair>>,
    failure: Option<Failure>,
    done: bool,
}

/// Measures each row; the records come in the order of the cases.
///
/// # Errors
/// When no worker can be started.
pub fn measure(
    machine: &Machine,
    cases: &[Case],
    message_bytes: usize,
    parallel: &Parallel,
    progress: &mut dyn FnMut(Progress),
) -> io::Result<Gathered> {
    let begin = machine.clock.monotonic_ns();
    let row = |case| Row { case, processes: Vec::new(), failure: None, done: false };
    let mut rows: Vec<Row> = cases.iter().map(row).collect();
    let mut lowest = None;
    let scaling = |row: &Row, lowest: Option<f64>| {
        Scaling::of(&row.processes, lowest, message_bytes, parallel)
    };
    let mut served = 0_usize;
    // In turn over all rows: a stranger who stays for seconds does not meet one row only.
    'all: for worker in 0..MOST_PROCESSES {
        for at in 0..rows.len() {
            if machine.is_interrupted() {
                break 'all;
            }
            if rows[at].done {
                continue;
            }
            let seconds = machine.clock.monotonic_ns().saturating_sub(begin) as f64 / 1e9;
            let done = rows.iter().filter(|row| row.done).count();
            let most = (rows.len() - done) * (MOST_PROCESSES - worker) as usize;
            let left = (served > 0).then(|| seconds / served as f64 * most as f64);
            progress(Progress { done, rows: rows.len(), seconds, seconds_left: left, noisy: 0 });
            let request = request(machine, rows[at].case, message_bytes, parallel, worker, lowest);
            serve(machine, &request, &mut rows[at], &mut lowest)?;
            served += 1;
            let row = &mut rows[at];
            let free = free(&row.processes, lowest).len();
            let exact =
                |scaling: Scaling| scaling.scaling_relative_error.is_some_and(|e| e <= EXACT);
            row.done = row.failure.is_some()
                || free >= FEWEST_PROCESSES && scaling(row, lowest).is_some_and(exact);
        }
    }
    let records: Vec<Record> = rows.iter().map(|row| record(row, scaling(row, lowest))).collect();
    let warnings = warnings(&records, parallel);
    Ok(Gathered { records, warnings, reference: None })
}

fn warnings(records: &[Record], parallel: &Parallel) -> Vec<Warning> {
    let scalings = || records.iter().filter_map(|r| Some((r.name(), r.scaling.as_ref()?)));
    let mut warnings = Vec::new();
    let rows: Vec<String> =
        scalings().filter(|(_, scaling)| !scaling.all_free).map(|(name, _)| name).collect();
    if !rows.is_empty() {
        warnings.push(Warning::NeverFree { rows, threads: parallel.threads });
    }
    let shared = scalings().filter_map(|(name, scaling)| Some((name, scaling.shared_core?)));
    let rows: Vec<(String, f64)> = shared.filter(|(_, share)| *share > RARELY).collect();
    // Where the system tells so there is nothing to wonder about.
    let known = parallel.cores.is_some_and(|cores| cores < parallel.threads);
    if !rows.is_empty() && !known {
        warnings.push(Warning::SharedCore { rows });
    }
    warnings
}

/// Lets one worker measure a row.
fn serve(
    machine: &Machine,
    request: &Request,
    row: &mut Row,
    lowest: &mut Option<f64>,
) -> io::Result<()> {
    let Machine { catalogue, clock, pmu, workers, patience, interrupted, .. } = machine;
    let outcome = workers.serve(catalogue, &**clock, &**pmu, request, *patience, interrupted)?;
    if machine.is_interrupted() && outcome.death.is_some() {
        // The interruption reaches workers too; no row is to blame.
        return Ok(());
    }
    row.failure = outcome.death.map(Failure::Crashed);
    for event in outcome.events {
        match event {
            Event::Failed(_, failure) => row.failure = Some(failure),
            Event::Parallel(told) => {
                *lowest = [*lowest, told.lowest_contention].into_iter().flatten().reduce(f64::min);
                row.processes.push(told.pairs);
            }
            _ => {}
        }
    }
    Ok(())
}

fn request(
    machine: &Machine,
    case: &Case,
    bytes: usize,
    parallel: &Parallel,
    worker: u32,
    lowest_contention: Option<f64>,
) -> Request {
    Request {
        worker,
        budget_ns: 0,
        rounds: None,
        quick: false,
        lowest_contention,
        cpus: parallel.cpus.clone(),
        root: machine.root.clone(),
        counters: Vec::new(),
        offset_bytes: 0,
        min_epoch_ns: None,
        cases: vec![Order {
            id: case.id(),
            sizes: vec![bytes],
            own_calls: false,
            message_bytes: None,
            calls: None,
            step: None,
            must: true,
            counted: None,
        }],
        parallel: Some(parallel.clone()),
    }
}

/// A row's number is the sum: nanoseconds for a byte of all threads together.
fn record(row: &Row, scaling: Option<Scaling>) -> Record {
    let failed = |failure| Record::of(row.case, Err(failure));
    if let Some(failure) = &row.failure {
        return failed(failure.clone());
    }
    if row.processes.len() < FEWEST_PROCESSES {
        return failed(Failure::Interrupted("interrupted before it was measured".to_owned()));
    }
    let Some(scaling) = scaling else {
        return failed(Failure::NoTime("no call was done in the time given".to_owned()));
    };
    let measured = Measured {
        ns_per_unit: 1e9 / (scaling.mib_per_s * f64::from(1 << 20)),
        measured_ns_per_unit: 1e9 / (scaling.mib_per_s * f64::from(1 << 20)),
        told_at_mhz: None,
        mib_per_s: Some(scaling.mib_per_s),
        cycles_per_unit: None,
        measured_mhz: None,
        ns_per_call: 0.0,
        relative_error: scaling.relative_error,
        first_call_ns: None,
        bend: None,
        layouts: None,
        points: Vec::new(),
        counts: None,
        processes: scaling.processes as u32,
        rounds: scaling.pairs as u32,
        quiet: scaling.all_free,
        predicted: None,
        total_s: None,
    };
    Record { scaling: Some(scaling), ..Record::of(row.case, Ok(measured)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bench_slope_algorithms::{Catalogue, Section};

    #[test]
    fn what_makes_a_scaling_doubtful_is_warned_of() {
        let case = Catalogue::standard().cases(Section::Hash).next().expect("a case");
        let parallel = Parallel { cpus: vec![0, 1], threads: 2, cores: Some(2) };
        let pair = Pair {
            alone: 1.0,
            together: 1.3,
            contention: Some(0.2),
            contention_at_once: Some(0.35),
            cpu_share: None,
        };
        let warned = |lowest: f64, parallel: &Parallel| {
            let processes = vec![vec![pair]; 6];
            let scaling = Scaling::of(&processes, Some(lowest), 64, parallel);
            let row = Row { case: &case, processes, failure: None, done: true };
            let warnings = warnings(&[record(&row, scaling)], parallel);
            warnings.iter().map(|warning| warning.advice().kind).collect::<Vec<_>>()
        };
        assert_eq!(warned(0.2, &parallel), ["shared-core"]);
        assert_eq!(warned(0.15, &parallel), ["never-free"]);
        assert!(warned(0.2, &Parallel { cores: Some(1), ..parallel }).is_empty());
    }

    #[test]
    fn each_core_has_a_thread_before_any_has_two() {
        let pairs = |cpu: usize| Some(format!("{}", cpu / 2));
        assert_eq!(spread(&[0, 1, 2, 3], &[], &pairs), [0, 2, 1, 3]);
        let halves = |cpu: usize| Some(format!("{}", cpu % 2));
        assert_eq!(spread(&[0, 1, 2, 3], &[], &halves), [0, 1, 2, 3]);
        assert_eq!(spread(&[1, 3, 5], &[], &|_| None), [1, 3, 5]);
    }

    #[test]
    fn fast_processors_come_first() {
        let pairs = |cpu: usize| Some(format!("{}", cpu / 2));
        assert_eq!(spread(&[0, 1, 2, 3], &[2, 3], &pairs), [2, 3, 0, 1]);
        assert_eq!(spread(&[0, 1, 2, 3], &[2], &|_| None), [2, 0, 1, 3]);
    }
}
