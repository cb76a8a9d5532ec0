//! Where a test wants the process to die: `CAIRN_REPLICATED_DIE_AT=<step>[:n]` kills it when it comes to that step for the nth time, as
//! SIGKILL would. Without the variable nothing happens.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;

/// All steps, in the order in which they come while a snapshot is received and installed.
pub const STEPS: [&str; 7] =
    ["receive-first-file", "receive-all", "install-linked", "install-synced", "install-current", "install-reopened", "install-kept"];

static WANTED: OnceLock<Option<(String, u64)>> = OnceLock::new();
static SEEN: AtomicU64 = AtomicU64::new(0);

pub fn step(name: &str) {
    debug_assert!(STEPS.contains(&name));
    let wanted = WANTED.get_or_init(|| {
        let text = std::env::var("CAIRN_REPLICATED_DIE_AT").ok()?;
        let (step, nth) = text.split_once(':').unwrap_or((&text, "1"));
        Some((step.to_string(), nth.parse().unwrap_or(1)))
    });
    if let Some((step, nth)) = wanted {
        // Relaxed: only the count matters, the steps come one after another.
        if step == name && SEEN.fetch_add(1, Ordering::Relaxed) + 1 == *nth {
            eprintln!("cairn-replicated: dies at {name}, as CAIRN_REPLICATED_DIE_AT wants");
            std::process::abort();
        }
    }
}
