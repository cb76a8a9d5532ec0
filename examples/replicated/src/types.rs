//! What the log carries, and what OpenRaft is told of it.
use serde::{Deserialize, Serialize};

use crate::files::SnapshotFiles;

pub type NodeId = u64;

/// A member of the cluster as the log knows it. The incarnation is drawn when a node's directory is made: a directory that was lost and
/// made anew has another one, and is not taken for the old node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub addr: String,
    pub incarnation: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Op {
    Put { key: Vec<u8>, value: Vec<u8> },
    Delete { key: Vec<u8> },
    /// `expected` None: the key must be absent.
    CompareAndSwap { key: Vec<u8>, expected: Option<Vec<u8>>, new: Vec<u8> },
}

/// One entry of the log: the writes of many clients, so that they share its syncs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    pub ops: Vec<Op>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    Done,
    /// Of a CompareAndSwap that found another value.
    Differs,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replies(pub Vec<Reply>);

openraft::declare_raft_types!(
    pub TypeConfig:
        D = Request,
        R = Replies,
        NodeId = NodeId,
        Node = Member,
        Entry = openraft::Entry<TypeConfig>,
        SnapshotData = SnapshotFiles,
        AsyncRuntime = openraft::TokioRuntime,
);

pub type Raft = openraft::Raft<TypeConfig>;
pub type Vote = openraft::Vote<NodeId>;
pub type LogId = openraft::LogId<NodeId>;
pub type SnapshotMeta = openraft::SnapshotMeta<NodeId, Member>;
pub type StoredMembership = openraft::StoredMembership<NodeId, Member>;
pub type StorageError = openraft::StorageError<NodeId>;
pub type StorageIOError = openraft::StorageIOError<NodeId>;
