//! Opens a page in Chromium without a window and tells what it did.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Names it is installed under.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// It takes a second.
const PATIENCE: Duration = Duration::from_secs(90);

/// What became of a page.
pub struct Visit {
    /// What the page's script left in the title.
    pub title: String,
    /// What was written to the console: errors, violations of the policy, anything.
    pub console: Vec<String>,
    /// Addresses that the page asked for, beside its own file and what it holds itself.
    pub requests: Vec<String>,
}

/// The browser's name, when there is one.
pub fn installed() -> Option<&'static str> {
    NAMES.into_iter().find(|name| {
        let mut version = Command::new(name);
        version.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        version.status().is_ok_and(|status| status.success())
    })
}

/// For scripts: `when(ready, then)` waits until something is so, for the page draws when the browser
/// tells it to, which takes as long as it takes.
const WHEN: &str = "const when = (ready, then) => {
    const look = () => ready() ? then() : setTimeout(look, 20);
    look();
};";

/// Opens `page`, lets `script` run after its own, and waits until nothing is to be done any more.
pub fn open(browser: &str, page: &str, script: &str) -> Result<Visit, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let inside = |name: &str| folder.path().join(name);
    let script =
        format!("<script>addEventListener('load', () => {{ {WHEN} {script} }});</script></body>");
    let page = page.replacen("</body>", &script, 1);
    fs::write(inside("page.html"), page).map_err(|error| error.to_string())?;
    let file = |name: &str| File::create(inside(name)).map_err(|error| error.to_string());
    let mut child = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        // What the browser asks for on its own account stays here.
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr"])
        .args(["--virtual-time-budget=30000", "--window-size=1200,900", "--dump-dom"])
        .arg(format!("--user-data-dir={}", inside("profile").display()))
        .arg(format!("--log-net-log={}", inside("net.json").display()))
        .arg(format!("file://{}", inside("page.html").display()))
        .stdin(Stdio::null())
        .stdout(file("dom")?)
        .stderr(file("log")?)
        .spawn()
        .map_err(|error| format!("{browser}: {error}"))?;
    let begin = Instant::now();
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if begin.elapsed() > PATIENCE {
            // It may have ended meanwhile.
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{browser} did not end: {}", read(&inside("log"))?));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let (dom, log) = (read(&inside("dom"))?, read(&inside("log"))?);
    let title = dom.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    let title = title.ok_or_else(|| format!("no page was shown: {dom} {log}"))?.0.to_owned();
    let console = log.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned).collect();
    Ok(Visit { title, console, requests: requests(&read(&inside("net.json"))?)? })
}

fn read(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Addresses in the browser's log of the network that a page asked for.
fn requests(log: &str) -> Result<Vec<String>, String> {
    let log: serde_json::Value = serde_json::from_str(log).map_err(|error| error.to_string())?;
    let events = log["events"].as_array().ok_or("the network's log has no events")?;
    let asked = events.iter().filter_map(|event| {
        let (url, initiator) = (&event["params"]["url"], &event["params"]["initiator"]);
        // The browser looks for updates and the like, which no page has initiated.
        let by_page = initiator.as_str().is_some_and(|initiator| initiator != "not an origin");
        by_page.then(|| url.as_str().unwrap_or_default().to_owned())
    });
    let own = |url: &String| url.starts_with("file://") || url.starts_with("data:");
    Ok(asked.filter(|url| !own(url)).collect())
}
