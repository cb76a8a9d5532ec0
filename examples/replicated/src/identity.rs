//! Who a node is: a file in its directory, written when the directory is made. It names the cluster and the node's id, and an incarnation
//! drawn at random: a directory that was lost and made anew is another node, which must be added as one. A node that voted and forgot it
//! could vote twice in one term, or miss an entry that a majority has with it.
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::files;
use crate::log_store::LogStore;
use crate::state_machine::StateMachine;
use crate::types::NodeId;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub cluster: String,
    pub id: NodeId,
    pub incarnation: u64,
}

impl Identity {
    fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// Opens a node's directory. `new`: makes it, and it must be empty or absent.
pub fn open(directory: &Path, cluster: &str, id: NodeId, new: bool) -> Result<(Identity, LogStore, StateMachine), String> {
    let file = directory.join("identity.json");
    let shown = directory.display();
    if new {
        if fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(format!("{shown} is not empty: start without --new, or name another directory (what a start with --new left that did not end has no \
                 identity.json and may be removed)"));
        }
        fs::create_dir_all(directory).map_err(|error| format!("{shown}: {error}"))?;
    } else if !file.exists() {
        return Err(format!(
            "{shown} has no node (no identity.json). A node that is started for the first time takes --new. If there was one and its files \
             are lost, it must not come back as if nothing had been: remove node {id} from the cluster and add a new one under another id"
        ));
    }
    if !new {
        let identity = Identity::read(&file)?;
        if identity.id != id {
            return Err(format!("{shown} is the directory of node {}, not of node {id}", identity.id));
        }
        if identity.cluster != cluster {
            return Err(format!("{shown} belongs to the cluster '{}', not to '{cluster}'", identity.cluster));
        }
        let (log, state) = open_databases(directory, false)?;
        return Ok((identity, log, state));
    }
    let (log, state) = open_databases(directory, true)?;
    let identity = Identity { cluster: cluster.to_string(), id, incarnation: rand::random() };
    // The last thing that is made: a directory without it is no node yet.
    files::replace(&file, &serde_json::to_string_pretty(&identity).expect("plain data")).map_err(|error| error.to_string())?;
    Ok((identity, log, state))
}

fn open_databases(directory: &Path, new: bool) -> Result<(LogStore, StateMachine), String> {
    let explain = |what: &str, error: &dyn std::fmt::Display| {
        let text = error.to_string();
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let advice = if new {
            ""
        } else if says(&["While lock file", "lock hold by"]) {
            ". Does another process run on this directory?"
        } else if says(&["Read-only file system", "No space left", "Permission denied", "Too many open files"]) {
            ". Nothing is known to be lost: mend that, and start it again"
        } else {
            ". This node cannot start with what its disk has: remove it from the cluster and add a new one"
        };
        format!("{}/{what}: {text}{advice}", directory.display())
    };
    let log = LogStore::open(&directory.join("log"), new).map_err(|error| explain("log", &error))?;
    let state = StateMachine::open(&directory.join("state"), new).map_err(|error| explain("state", &error))?;
    let log = log.purging_after(state.durable());
    Ok((log, state))
}
