//! A node. Its exit status: 0 stopped by a signal, 2 it must not start so (identity, lost or damaged files), 3 its storage failed.
use std::future::IntoFuture;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use openraft::storage::{RaftLogStorage, RaftStateMachine, StorageHelper};
use openraft::{Config, SnapshotPolicy};
use tokio::signal::unix::{signal, SignalKind};

use cairn_replicated::identity;
use cairn_replicated::network::{Myself, Network};
use cairn_replicated::queue::Queue;
use cairn_replicated::server::{self, Node};
use cairn_replicated::types::{Member, NodeId, Raft};

const REFUSED: u8 = 2;
const STORAGE_FAILED: u8 = 3;

/// A node of a replicated key-value store: OpenRaft over the crate rocksdb, linked to Cairn.
#[derive(Parser)]
#[command(version)]
struct Flags {
    /// The node's number, unique in the cluster and never used again
    #[arg(long)]
    id: NodeId,
    /// Where its files are
    #[arg(long)]
    dir: PathBuf,
    /// Makes a new node in --dir, which must be empty or absent
    #[arg(long)]
    new: bool,
    /// Where it listens: host:port
    #[arg(long)]
    listen: String,
    /// Where others reach it [default: --listen]
    #[arg(long)]
    advertise: Option<String>,
    /// The cluster's name; nodes of other clusters are refused
    #[arg(long, default_value = "cairn")]
    cluster: String,
    /// Milliseconds between the leader's heartbeats
    #[arg(long, default_value_t = 100)]
    heartbeat: u64,
    /// A follower stands for election after three to four times these milliseconds without a heartbeat
    #[arg(long, default_value_t = 300)]
    election: u64,
    /// Entries of the log between snapshots
    #[arg(long, default_value_t = 10_000)]
    snapshot_every: u64,
    /// Entries that are kept although a snapshot has them, for followers who are a little behind
    #[arg(long, default_value_t = 5_000)]
    keep: u64,
    /// What is logged, to stderr: an EnvFilter
    #[arg(long, default_value = "warn,cairn_replicated=info,openraft=error")]
    log: String,
}

fn main() -> ExitCode {
    let flags = Flags::parse();
    tracing_subscriber::fmt().with_env_filter(&flags.log).with_writer(std::io::stderr).with_ansi(false).init();
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let result = runtime.block_on(serve(flags));
    // Not waited for: threads that wait for a disk that failed.
    runtime.shutdown_timeout(std::time::Duration::from_secs(2));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err((status, words)) => {
            eprintln!("cairn-replicated: {words}");
            ExitCode::from(status)
        }
    }
}

async fn serve(flags: Flags) -> Result<(), (u8, String)> {
    let refuse = |words: String| (REFUSED, words);
    let config = Config {
        cluster_name: flags.cluster.clone(),
        heartbeat_interval: flags.heartbeat,
        election_timeout_min: flags.election,
        election_timeout_max: 2 * flags.election,
        snapshot_policy: SnapshotPolicy::LogsSinceLast(flags.snapshot_every),
        max_in_snapshot_log_to_keep: flags.keep,
        replication_lag_threshold: flags.snapshot_every + flags.keep,
        ..Config::default()
    };
    let config = Arc::new(config.validate().map_err(|error| refuse(error.to_string()))?);
    let (identity, mut log, mut state) = identity::open(&flags.dir, &flags.cluster, flags.id, flags.new).map_err(refuse)?;
    let addr = flags.advertise.clone().unwrap_or(flags.listen.clone());

    // What the two databases say together. The state may be behind the log, which is applied again; it must not be behind what was purged.
    let purged = log.get_log_state().await.map_err(|error| refuse(error.to_string()))?.last_purged_log_id;
    let (applied, _) = state.applied_state().await.map_err(|error| refuse(error.to_string()))?;
    if purged > applied {
        return Err(refuse(format!(
            "{}/state ends before its log begins ({applied:?}, {purged:?}): files were lost or come from a backup. Remove this node from the \
             cluster and add a new one",
            flags.dir.display()
        )));
    }

    // As this node's own log has it: before it says a word to others.
    let members = StorageHelper::new(&mut log, &mut state).get_membership().await.map_err(|error| refuse(error.to_string()))?;
    let known = members.effective().membership().get_node(&flags.id).cloned();
    if let Some(known) = known.filter(|known| *known != Member { addr: addr.clone(), incarnation: identity.incarnation }) {
        return Err(refuse(format!(
            "the cluster knows node {} at {}, and this one would be at {addr}: is {} a copy of another node's directory? Two nodes must not \
             have one identity",
            flags.id,
            known.addr,
            flags.dir.display()
        )));
    }

    let me = Arc::new(Myself { identity: identity.clone(), addr: addr.clone() });
    let network = Network::new(me.clone());
    let listener = tokio::net::TcpListener::bind(&flags.listen).await.map_err(|error| refuse(format!("{}: {error}", flags.listen)))?;
    let raft =
        Raft::new(flags.id, config, network.clone(), log, state.clone()).await.map_err(|error| (STORAGE_FAILED, error.to_string()))?;
    let node = Arc::new(Node { me, raft: raft.clone(), queue: Queue::new(raft.clone()), state, network });
    tracing::info!("node {} listens on {}, incarnation {:016x}", flags.id, flags.listen, identity.incarnation);
    let served = axum::serve(listener, server::router(node));
    let mut metrics = raft.metrics();
    let mut term = signal(SignalKind::terminate()).map_err(|error| refuse(error.to_string()))?;
    let failure = tokio::select! {
        result = served.into_future() => return Err((STORAGE_FAILED, format!("the listener ended: {result:?}"))),
        _ = term.recv() => None,
        _ = tokio::signal::ctrl_c() => None,
        failure = async {
            loop {
                let stopped = metrics.borrow().running_state.clone().err();
                if stopped.is_some() || metrics.changed().await.is_err() {
                    return stopped;
                }
            }
        } => failure,
    };
    let _ = raft.shutdown().await;
    match failure {
        None => Ok(()),
        Some(fatal) => Err((STORAGE_FAILED, format!("node {} stops, its storage failed: {fatal}", flags.id))),
    }
}
