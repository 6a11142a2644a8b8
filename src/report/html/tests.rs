use bench_slope_algorithms::Section;

use super::render;
use crate::record::{Counts, Layouts, Record, Run};
use crate::report::examples::{measured, record, run};
use crate::warning::Advice;
use crate::wire::Failure;

const HOSTILE: &str = "</script><!--<script>\u{2028}<img src=x onerror=alert(1)>\"'&";

/// The text of the element that holds what the scripts draw from.
fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("type=\"application/json\">").expect("data");
    let (text, _) = rest.split_once("</script>").expect("its end");
    assert!(!text.contains('<'), "{text}");
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn nothing_in_a_name_or_a_reason_becomes_markup() {
    let failure = Failure::Crashed(HOSTILE.to_owned());
    let mut run = run(vec![
        record(Section::Cipher, HOSTILE, Ok(measured(1.0))),
        record(Section::Cipher, "B", Err(failure)),
    ]);
    run.warnings.push(Advice {
        kind: "no-line".to_owned(),
        rows: Vec::new(),
        text: HOSTILE.to_owned(),
    });
    run.environment.cpu_model = Some(HOSTILE.to_owned());
    let page = render(&run);
    assert!(!page.contains("<img") && !page.contains("<!--"));
    let elements = page.matches("<script").count();
    assert_eq!((elements, page.matches("</script").count()), (4, 4), "the page's own");
    // As it is meant: in the table, the details, a reason and its list, a warning, the processor ...
    assert!(page.matches("&lt;img src=x onerror=alert(1)&gt;&quot;").count() >= 6);
    // ... and the data.
    assert_eq!(data(&page)["rows"][0]["name"], format!("AES {HOSTILE}"));
}

#[test]
fn nothing_asks_a_network() {
    let page = render(&run(vec![record(Section::Hash, "", Ok(measured(1.0)))]));
    // A name of elements is no address to ask.
    let page = page.replace("\"http://www.w3.org/2000/svg\"", "");
    for word in ["://", "@import", " src=", "srcset", "fetch(", "XMLHttpRequest", "import("] {
        assert!(!page.contains(word), "{word}");
    }
    for link in page.split(" href=\"").skip(1) {
        assert!(link.starts_with('#') || link.starts_with("data:,\""), "{}", &link[..40]);
    }
    assert_eq!(page.matches("url(").count(), page.matches("url(#").count());
    assert!(page.contains("Content-Security-Policy\" content=\"default-src 'none';"));
}

#[test]
fn every_row_is_told_with_its_number_or_its_reason() {
    let noisy = Failure::TooNoisy("too noisy to tell its cost".to_owned());
    let page = render(&run(vec![
        record(Section::Hash, "", Ok(measured(0.5849123))),
        record(Section::Cipher, "CBC enc", Ok(measured(12.0))),
        record(Section::Cipher, "CBC dec", Err(noisy)),
    ]));
    assert!(page.contains(">0.5849</td>") && page.contains(">±1.25 %</td>"), "{page}");
    assert!(page.contains("0.584912 ns/byte"));
    assert!(page.contains("Rows without a number: 1 of 3"));
    // In the list and in its details; in a word in the table.
    assert_eq!(page.matches("too noisy to tell its cost").count(), 2);
    assert!(page.contains("<td class=\"notes\">too noisy</td>"));
    for row in 0..3 {
        assert!(page.contains(&format!("href=\"#row-{row}\"")), "{row}");
        assert!(page.contains(&format!("id=\"row-{row}\"")), "{row}");
    }
    // Something to draw from for those that were measured.
    assert_eq!(data(&page)["rows"].as_array().map(Vec::len), Some(2));
    assert_eq!(page.matches("data-plots=\"").count(), 2);
}

#[test]
fn a_row_without_points_says_so() {
    let mut bare = measured(1.0);
    bare.points.clear();
    let page = render(&run(vec![record(Section::Hash, "", Ok(bare))]));
    assert!(page.contains("there is nothing to plot"));
    assert!(!page.contains("data-plots=\""));
}

#[test]
fn columns_are_what_this_machine_can_measure() {
    let page_of = |records: Vec<Record>| render(&run(records));
    let bare = page_of(vec![record(Section::Hash, "", Ok(measured(1.0)))]);
    let mut rich = measured(1.0);
    rich.cycles_per_unit = Some(3.5);
    rich.relative_error = None;
    rich.counts = Some(Counts { instructions_per_unit: Some(7.0), ..Counts::default() });
    rich.layouts =
        Some(Layouts { best_ns_per_unit: 1.0, other_ns_per_unit: 1.2, other_share: 0.25 });
    let rich = page_of(vec![record(Section::Hash, "", Ok(rich))]);
    for head in [">c/B<", ">ins/B<"] {
        assert!(rich.contains(head) && !bare.contains(head), "{head}");
    }
    assert!(!bare.contains(">Mode<") && bare.contains(">error<") && bare.contains(">ns/call<"));
    assert!(rich.contains("7.000 instructions per byte"));
    assert!(rich.contains("1.20000 in 25 % of the samples"));
    assert!(rich.contains("depends on layout; no error stated"));
}

#[test]
fn counts_of_a_section_have_tables_of_their_own() {
    let mut records = vec![record(Section::Kdf, "", Ok(measured(100.0)))];
    for unit in ["iter", "pass"] {
        records.push(Record {
            unit: unit.to_owned(),
            ..record(Section::Kdf, "", Ok(measured(100.0)))
        });
    }
    let page = render(&run(records));
    for (id, title) in
        [("kdf-byte", "KDFs by byte"), ("kdf-iter", "KDFs by iter"), ("kdf-pass", "KDFs by pass")]
    {
        assert!(page.contains(&format!("<a href=\"#{id}\">{title}</a>")), "{title}");
        assert!(page.contains(&format!("<h2 id=\"{id}\">")), "{title}");
    }
}

fn large() -> Run {
    let label = |at: usize| format!("GCM-SIV {at}");
    run((0..825).map(|at| record(Section::Cipher, &label(at), Ok(measured(1.0 / 3.0)))).collect())
}

#[test]
fn a_full_run_stays_small() {
    let bytes = render(&large()).len();
    assert!(bytes < 2_500_000, "{bytes} bytes");
}

#[test]
fn an_empty_run_is_a_page_too() {
    let page = render(&run(Vec::new()));
    assert!(page.contains("0 rows") && page.ends_with("</html>"));
}
