//! What clients ask, gathered. Writes that wait while one is under way become one entry of the log and share its syncs; reads that wait
//! share one question to a majority whether this node still leads.
use std::time::Duration;

use openraft::error::{CheckIsLeaderError, ClientWriteError, RaftError};
use openraft::ServerState;
use tokio::sync::{mpsc, oneshot};

use crate::types::{Member, Op, Raft, Reply, Request};

const MOST_IN_ENTRY: usize = 256;
const MOST_WAITING: usize = 4096;
/// How long a client waits; afterwards a write may still happen.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub enum Failure {
    /// Nothing was proposed. The leader, as far as it is known.
    NotLeader(Option<Member>),
    /// Nothing was proposed.
    Unavailable(String),
    /// A write that may or may not happen.
    Unknown(String),
}

type Write = (Op, oneshot::Sender<Result<Reply, Failure>>);
type Read = oneshot::Sender<Result<(), Failure>>;

#[derive(Clone)]
pub struct Queue {
    raft: Raft,
    writes: mpsc::Sender<Write>,
    reads: mpsc::Sender<Read>,
}

/// None: this node leads, as far as it knows.
fn not_leader(raft: &Raft) -> Option<Failure> {
    let metrics = raft.metrics();
    let metrics = metrics.borrow();
    if metrics.state == ServerState::Leader {
        return None;
    }
    let leader = metrics.current_leader.filter(|leader| *leader != metrics.id);
    Some(Failure::NotLeader(leader.and_then(|id| metrics.membership_config.membership().get_node(&id).cloned())))
}

impl Queue {
    pub fn new(raft: Raft) -> Self {
        let (writes, waiting_writes) = mpsc::channel(MOST_WAITING);
        let (reads, waiting_reads) = mpsc::channel(MOST_WAITING);
        tokio::spawn(serve_writes(raft.clone(), waiting_writes));
        tokio::spawn(serve_reads(raft.clone(), waiting_reads));
        Self { raft, writes, reads }
    }

    pub async fn write(&self, op: Op) -> Result<Reply, Failure> {
        if let Some(failure) = not_leader(&self.raft) {
            return Err(failure);
        }
        let (answer, answered) = oneshot::channel();
        self.writes.try_send((op, answer)).map_err(|_| Failure::Unavailable("too many writes wait".into()))?;
        match tokio::time::timeout(PATIENCE, answered).await {
            Ok(Ok(result)) => result,
            _ => Err(Failure::Unknown("no majority in time".into())),
        }
    }

    /// After it, what this node has applied includes all that was acknowledged before the call.
    pub async fn read_barrier(&self) -> Result<(), Failure> {
        if let Some(failure) = not_leader(&self.raft) {
            return Err(failure);
        }
        let (answer, answered) = oneshot::channel();
        self.reads.try_send(answer).map_err(|_| Failure::Unavailable("too many reads wait".into()))?;
        match tokio::time::timeout(PATIENCE, answered).await {
            Ok(Ok(result)) => result,
            _ => Err(Failure::Unavailable("no majority in time".into())),
        }
    }
}

async fn serve_writes(raft: Raft, mut waiting: mpsc::Receiver<Write>) {
    let mut gathered = Vec::new();
    while waiting.recv_many(&mut gathered, MOST_IN_ENTRY).await > 0 {
        // Whoever has given up is not served: fewer writes of unknown outcome.
        let (ops, answers): (Vec<_>, Vec<_>) = gathered.drain(..).filter(|(_, answer)| !answer.is_closed()).unzip();
        if ops.is_empty() {
            continue;
        }
        if let Some(failure) = not_leader(&raft) {
            answer_all(answers, failure);
            continue;
        }
        match tokio::time::timeout(2 * PATIENCE, raft.client_write(Request { ops })).await {
            Ok(Ok(done)) => {
                for (answer, reply) in answers.into_iter().zip(done.data.0) {
                    let _ = answer.send(Ok(reply));
                }
            }
            // Also when it forwards: the entry may have been sent to others before this node lost the lead.
            Ok(Err(RaftError::APIError(ClientWriteError::ForwardToLeader(_)))) => {
                answer_all(answers, Failure::Unknown("the lead was lost meanwhile".into()));
            }
            Ok(Err(error)) => answer_all(answers, Failure::Unknown(error.to_string())),
            Err(_) => answer_all(answers, Failure::Unknown("no majority in time".into())),
        }
    }
}

fn answer_all<T>(answers: Vec<oneshot::Sender<Result<T, Failure>>>, failure: Failure) {
    for answer in answers {
        let _ = answer.send(Err(failure.clone()));
    }
}

async fn serve_reads(raft: Raft, mut waiting: mpsc::Receiver<Read>) {
    let mut gathered = Vec::new();
    while waiting.recv_many(&mut gathered, MOST_WAITING).await > 0 {
        let answers: Vec<Read> = std::mem::take(&mut gathered);
        match tokio::time::timeout(PATIENCE, raft.ensure_linearizable()).await {
            Ok(Ok(_)) => {
                for answer in answers {
                    let _ = answer.send(Ok(()));
                }
            }
            Ok(Err(RaftError::APIError(CheckIsLeaderError::ForwardToLeader(forward)))) => {
                answer_all(answers, Failure::NotLeader(forward.leader_node));
            }
            Ok(Err(error)) => answer_all(answers, Failure::Unavailable(error.to_string())),
            Err(_) => answer_all(answers, Failure::Unavailable("no majority in time".into())),
        }
    }
}
