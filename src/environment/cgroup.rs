//! The CPU quota of this process: the smallest one of its control groups up to the root.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::parse::word;
use super::read::Files;

/// A CPU quota.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quota {
    /// Processors' worth of time, such as 0.5.
    pub cpus: f64,
    /// The file that sets it.
    pub file: String,
    /// What this file holds without a quota.
    pub unlimited: Cow<'static, str>,
    /// What it holds now.
    pub value: String,
}

/// The smallest quota, of either version of control groups: a hybrid system has both.
pub fn quota(files: &Files) -> Option<Quota> {
    let groups = files.text("proc/self/cgroup")?;
    let mut quotas = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(id), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        if id == "0" && controllers.is_empty() {
            for mount in ["sys/fs/cgroup", "sys/fs/cgroup/unified"] {
                quotas.extend(levels(mount, path).filter_map(|group| version_2(files, &group)));
            }
        } else if controllers.split(',').any(|controller| controller == "cpu") {
            for mount in [format!("sys/fs/cgroup/{controllers}"), "sys/fs/cgroup/cpu".to_owned()] {
                quotas.extend(levels(&mount, path).filter_map(|group| version_1(files, &group)));
            }
        }
    }
    quotas.into_iter().min_by(|a: &Quota, b| a.cpus.total_cmp(&b.cpus))
}

/// The group and those above it, up to the root of what is mounted: in a container the path may be
/// the host's, and then only the root is there.
fn levels(mount: &str, path: &str) -> impl Iterator<Item = String> {
    let names: Vec<String> = path
        .split('/')
        // Groups outside this process's view begin with `..`.
        .filter(|name| !matches!(*name, "" | "." | ".."))
        .map(str::to_owned)
        .collect();
    let mount = mount.to_owned();
    (0..=names.len()).rev().map(move |depth| {
        let mut group = mount.clone();
        for name in &names[..depth] {
            group = group + "/" + name;
        }
        group
    })
}

fn version_2(files: &Files, group: &str) -> Option<Quota> {
    let file = format!("{group}/cpu.max");
    let value = word(&files.text(&file)?)?;
    let (quota, period) = value.split_once(' ')?;
    let cpus = share(quota, period)?;
    Some(Quota { cpus, file: format!("/{file}"), unlimited: "max".into(), value })
}

fn version_1(files: &Files, group: &str) -> Option<Quota> {
    let file = format!("{group}/cpu.cfs_quota_us");
    let value = word(&files.text(&file)?)?;
    let cpus = share(&value, &files.text(&format!("{group}/cpu.cfs_period_us"))?)?;
    Some(Quota { cpus, file: format!("/{file}"), unlimited: "-1".into(), value })
}

/// Microseconds of processor time over microseconds; none when it is `max` or -1.
fn share(quota: &str, period: &str) -> Option<f64> {
    let quota: u64 = quota.trim().parse().ok()?;
    let period: u64 = period.trim().parse().ok()?;
    (quota > 0 && period > 0).then(|| quota as f64 / period as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        assert_eq!(share("50000", "100000\n"), Some(0.5));
        for (quota, period) in [
            ("max", "100000"),
            ("-1", "100000"),
            ("0", "100000"),
            ("1", "0"),
            ("", ""),
            ("99999999999999999999999", "1"),
            ("1", "x"),
        ] {
            assert_eq!(share(quota, period), None, "{quota} {period}");
        }
    }

    #[test]
    fn levels_go_up_to_the_root_and_never_out_of_it() {
        let all = |path| levels("m", path).collect::<Vec<_>>();
        assert_eq!(all("/a/b"), ["m/a/b", "m/a", "m"]);
        assert_eq!(all("/"), ["m"]);
        assert_eq!(all("/../../etc"), ["m/etc", "m"]);
    }
}
