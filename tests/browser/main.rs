//! The HTML report in a browser: it asks nothing of a network, logs no error, draws, sorts, and
//! takes names for what they are.
//!
//! Where no Chromium is installed these tests are shown as ignored and a note says so; with
//! `BENCH_SLOPE_BROWSER=required` in the environment, as in `.ci/run`, they fail.

#[path = "../invented/mod.rs"]
mod invented;

mod chromium;

use std::process::ExitCode;

use bench_slope::group::{Plan, measure};
use bench_slope::record::Run;
use bench_slope::report::html;
use bench_slope_algorithms::Section;
use chromium::{Visit, open};
use invented::{entry, machine};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

/// MD5 costs 2 ns/B, SHA1 1, SHA256 10; SHAKE128 costs nothing and has no number.
fn cost(algorithm: &str, size: usize) -> u64 {
    let ps_per_byte = match algorithm {
        "SHAKE128" => 0,
        "MD5" => 2_000,
        "SHA1" => 1_000,
        _ => 10_000,
    };
    80_000 + ps_per_byte * size as u64
}

fn run() -> Run {
    let names = ["MD5", "SHAKE128", "SHA1", "SHA256"];
    let machine = machine(names.map(entry).to_vec(), 1, cost);
    let cases: Vec<_> = machine.catalogue.cases(Section::Hash).collect();
    let plan = Plan { repetitions: Some(40), ..Plan::default() };
    let gathered = measure(&machine, &cases, plan, &mut |_| ()).expect("workers run");
    let (records, warnings) = (gathered.records, gathered.warnings);
    let warnings = warnings.iter().map(|warning| warning.advice()).collect();
    let started_unix_s = Some(1_796_063_519);
    let mut run = Run { records, warnings, started_unix_s, ..Run::default() };
    run.records.iter_mut().for_each(|record| record.derive(None));
    run
}

/// What a page's script found, which it leaves in the title as JSON; the page has to be silent.
fn found(visit: &Visit) -> Result<Value, Failed> {
    if !visit.console.is_empty() || !visit.requests.is_empty() {
        return Err(format!("{:?} {:?}", visit.console, visit.requests).into());
    }
    let told = visit.title.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&told).map_err(|error| format!("{error}: {told}").into())
}

fn equal(found: &Value, wanted: Value) -> Result<(), Failed> {
    if *found == wanted { Ok(()) } else { Err(format!("{found} instead of {wanted}").into()) }
}

/// These tests would notice: a page that asks and fails is seen to do both.
fn errors_and_requests_are_seen(browser: &str) -> Result<(), Failed> {
    let page = "<title>x</title><body><img src=\"http://127.0.0.1:9/a.png\"></body>";
    let visit = open(browser, page, "document.title = 'open'; throw new Error('told')")?;
    let error = visit.console.iter().any(|line| line.contains("told"));
    let request = visit.requests.iter().any(|url| url == "http://127.0.0.1:9/a.png");
    if visit.title == "open" && error && request { Ok(()) } else { Err("not seen".into()) }
}

fn clicks_sort(browser: &str) -> Result<(), Failed> {
    let script = "
        const names = () => [...document.querySelectorAll('tbody th')].map((cell) => cell.textContent).join(' ');
        const head = (text) => [...document.querySelectorAll('thead th')].find((th) => th.textContent === text);
        const told = [names()];
        for (const text of ['ns/B', 'ns/B', 'ns/B', 'Algorithm', 'MiB/s']) {
            const button = head(text).querySelector('button');
            button.focus();
            if (document.activeElement !== button) told.push('no focus');
            button.click();
            told.push(head(text).getAttribute('aria-sort') + ': ' + names());
        }
        told.push(document.querySelectorAll('[aria-sort]:not([aria-sort=none])').length);
        document.title = JSON.stringify(told);";
    let told = found(&open(browser, &html::render(&run()), script)?)?;
    equal(
        &told,
        serde_json::json!([
            "MD5 SHAKE128 SHA1 SHA256",
            "ascending: SHA1 MD5 SHA256 SHAKE128",
            "descending: SHA256 MD5 SHA1 SHAKE128",
            "none: MD5 SHAKE128 SHA1 SHA256",
            "ascending: MD5 SHA1 SHA256 SHAKE128",
            "ascending: SHA256 MD5 SHA1 SHAKE128",
            1
        ]),
    )
}

fn details_draw_every_point(browser: &str) -> Result<(), Failed> {
    let script = "
        for (const details of document.querySelectorAll('details.algorithm')) details.open = true;
        const count = (what) => document.querySelectorAll(what).length;
        when(() => count('figure') >= 9, () => {
            for (const details of document.querySelectorAll('details.points-table')) details.open = true;
        });
        when(() => count('.points-table tbody tr') >= 3 * 65, () => {
            const bad = [...document.querySelectorAll('svg *')].filter((one) =>
                [...one.attributes].some(({ value }) => /NaN|Infinity|undefined/.test(value))).length;
            const sha1 = document.querySelector('#row-2');
            document.title = JSON.stringify({
                figures: count('figure'), bands: count('.band'), points: count('.point') + count('.beyond'),
                numbers: count('.points-table tbody tr'), bad,
                failed: document.querySelector('#row-1').textContent.includes('no slope'),
                last: sha1.querySelector('.points-table tbody tr:last-child').textContent,
            });
        });";
    let told = found(&open(browser, &html::render(&run()), script)?)?;
    // Time and residual at 65 sizes, throughput at those above 0.
    let points = 3 * (65 + 65 + 64);
    equal(
        &told,
        serde_json::json!({
            "figures": 9, "bands": 9, "points": points, "numbers": 3 * 65, "bad": 0,
            "failed": true, "last": "409641764176.00",
        }),
    )
}

fn links_and_the_filter_find_rows(browser: &str) -> Result<(), Failed> {
    let script = "
        const shown = (what) => [...document.querySelectorAll(what)].filter((one) => one.checkVisibility()).length;
        const opened = () => [...document.querySelectorAll('details.algorithm')].map((one) => one.open);
        document.querySelector('tbody tr:last-child a').click();
        when(() => opened().some((one) => one), () => {
            const focus = document.activeElement.id;
            const filter = document.getElementById('filter');
            filter.value = 'sha 25';
            filter.dispatchEvent(new Event('input'));
            const told = document.getElementById('shown').textContent;
            document.title = JSON.stringify([opened(), focus, shown('tbody tr'), shown('details.algorithm'), told]);
        });";
    let told = found(&open(browser, &html::render(&run()), script)?)?;
    let opened = [false, false, false, true];
    equal(&told, serde_json::json!([opened, "row-3", 1, 1, "1 of 4 rows"]))
}

fn names_are_only_names(browser: &str) -> Result<(), Failed> {
    let mut run = run();
    let hostile = "</script><img src=http://127.0.0.1:9/x onerror=\"window.broken=1\">";
    run.records.iter_mut().for_each(|record| record.label = hostile.to_owned());
    let script = "
        for (const details of document.querySelectorAll('details.algorithm')) details.open = true;
        when(() => document.querySelectorAll('figure').length >= 9, () => {
            const names = [...document.querySelectorAll('td.label')].map((cell) => cell.textContent);
            document.title = JSON.stringify([document.images.length, window.broken ?? 0,
                document.querySelectorAll('figure').length, names[0]]);
        });";
    let told = found(&open(browser, &html::render(&run), script)?)?;
    equal(&told, serde_json::json!([0, 0, 9, hostile]))
}

fn a_phone_scrolls_tables_only(browser: &str) -> Result<(), Failed> {
    let script = "
        document.body.style.width = '390px';
        document.body.style.margin = '0';
        for (const details of document.querySelectorAll('details')) details.open = true;
        when(() => document.querySelectorAll('figure').length >= 9, () => {
            const wide = [...document.body.querySelectorAll('*')].filter((one) =>
                one.checkVisibility() && !one.closest('.scroll > *, .sr, .skip') && one.getBoundingClientRect().right > 390.5);
            const box = document.querySelector('.scroll');
            document.title = JSON.stringify([wide.slice(0, 3).map((one) => one.outerHTML.slice(0, 80)), box.scrollWidth > box.clientWidth]);
        });";
    let told = found(&open(browser, &html::render(&run()), script)?)?;
    equal(&told, serde_json::json!([[], true]))
}

type Test = fn(&str) -> Result<(), Failed>;

fn main() -> ExitCode {
    let tests: [(&str, Test); 6] = [
        ("errors_and_requests_are_seen", errors_and_requests_are_seen),
        ("clicks_sort", clicks_sort),
        ("details_draw_every_point", details_draw_every_point),
        ("links_and_the_filter_find_rows", links_and_the_filter_find_rows),
        ("names_are_only_names", names_are_only_names),
        ("a_phone_scrolls_tables_only", a_phone_scrolls_tables_only),
    ];
    let browser = chromium::installed();
    let required = std::env::var_os("BENCH_SLOPE_BROWSER").is_some_and(|word| word == "required");
    if browser.is_none() {
        eprintln!("note: no Chromium is installed, and nothing here is known of the HTML report");
    }
    let tests = tests.into_iter().map(|(name, test)| {
        let trial = Trial::test(name, move || test(browser.ok_or("no Chromium is installed")?));
        trial.with_ignored_flag(browser.is_none() && !required)
    });
    libtest_mimic::run(&Arguments::from_args(), tests.collect()).exit_code()
}
