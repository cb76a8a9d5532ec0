//! What a node answers over HTTP: clients, whoever runs the cluster, and other nodes.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{header, HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::StreamExt;
use openraft::error::{ClientWriteError, RaftError};
use openraft::Snapshot;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::mpsc;

use crate::network::{Myself, Network, FROM, TO};
use crate::queue::{Failure, Queue};
use crate::snapshot_stream::{self, PieceReader};
use crate::state_machine::StateMachine;
use crate::types::{Member, NodeId, Op, Raft, Reply};

const LONGEST_VALUE: usize = 1 << 20;
const LONGEST_CALL: usize = 512 << 20;    // entries of the log from another node, which gathered them

pub struct Node {
    pub me: Arc<Myself>,
    pub raft: Raft,
    pub queue: Queue,
    pub state: StateMachine,
    pub network: Network,
}

type Shared = State<Arc<Node>>;

pub fn router(node: Arc<Node>) -> Router {
    let raft = Router::new()
        .route("/raft/append", post(append))
        .route("/raft/vote", post(vote))
        .route("/raft/snapshot", post(snapshot))
        .layer(axum::extract::DefaultBodyLimit::max(LONGEST_CALL));
    Router::new()
        .route("/kv/{*key}", get(read).put(write).delete(delete))
        .route("/scan", get(scan))
        .route("/identity", get(identity))
        .route("/metrics", get(metrics))
        .route("/cluster/init", post(init))
        .route("/cluster/add", post(add))
        .route("/cluster/members", post(members))
        .route("/cluster/snapshot", post(take_snapshot))
        .layer(axum::extract::DefaultBodyLimit::max(LONGEST_VALUE))
        .merge(raft)
        .with_state(node)
}

/// 307 to the leader, which `curl -L` follows. 503: nothing was done, try again. 504: a write that may or may not happen.
fn failed(failure: Failure, uri: &Uri) -> Response {
    let text = |status, words: String| (status, words + "\n").into_response();
    match failure {
        Failure::NotLeader(Some(leader)) => {
            let path = uri.path_and_query().map_or("/", |path| path.as_str());
            let location = format!("http://{}{path}", leader.addr);
            (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, location)], "another node leads\n").into_response()
        }
        Failure::NotLeader(None) => text(StatusCode::SERVICE_UNAVAILABLE, "no leader is known".into()),
        Failure::Unavailable(words) => text(StatusCode::SERVICE_UNAVAILABLE, words),
        Failure::Unknown(words) => text(StatusCode::GATEWAY_TIMEOUT, format!("the write may or may not happen: {words}")),
    }
}

fn refused(status: StatusCode, words: impl std::fmt::Display) -> Response {
    (status, format!("{words}\n")).into_response()
}

#[derive(Deserialize)]
struct ReadQuery {
    #[serde(default)]
    stale: bool,
}

/// Linearizable; `?stale=true` is what this node has, without asking others.
async fn read(State(node): Shared, Path(key): Path<String>, Query(query): Query<ReadQuery>, uri: Uri) -> Response {
    if !query.stale {
        if let Err(failure) = node.queue.read_barrier().await {
            return failed(failure, &uri);
        }
    }
    match node.state.current().get(key.as_bytes()) {
        Ok(Some(value)) => value.into_response(),
        Ok(None) => refused(StatusCode::NOT_FOUND, "no such key"),
        Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, error),
    }
}

#[derive(Deserialize)]
struct WriteQuery {
    /// Writes only if this is the value.
    expect: Option<String>,
    /// Writes only if there is no value.
    #[serde(default)]
    absent: bool,
}

async fn write(State(node): Shared, Path(key): Path<String>, Query(query): Query<WriteQuery>, uri: Uri, value: Bytes) -> Response {
    let (key, value) = (key.into_bytes(), value.to_vec());
    let op = match (query.expect, query.absent) {
        (Some(_), true) => return refused(StatusCode::BAD_REQUEST, "expect and absent exclude each other"),
        (None, false) => Op::Put { key, value },
        (expected, _) => Op::CompareAndSwap { key, expected: expected.map(String::into_bytes), new: value },
    };
    done(&node, op, &uri).await
}

async fn delete(State(node): Shared, Path(key): Path<String>, uri: Uri) -> Response {
    done(&node, Op::Delete { key: key.into_bytes() }, &uri).await
}

async fn done(node: &Node, op: Op, uri: &Uri) -> Response {
    match node.queue.write(op).await {
        Ok(Reply::Done) => StatusCode::NO_CONTENT.into_response(),
        Ok(Reply::Differs) => refused(StatusCode::PRECONDITION_FAILED, "the key has another value"),
        Err(failure) => failed(failure, uri),
    }
}

#[derive(Deserialize)]
struct ScanQuery {
    #[serde(default)]
    prefix: String,
    #[serde(default)]
    from: String,
    limit: Option<usize>,
    #[serde(default)]
    stale: bool,
}

/// A JSON list of [key, value], bytes that are no UTF-8 replaced; 10,000 at most.
async fn scan(State(node): Shared, Query(query): Query<ScanQuery>, uri: Uri) -> Response {
    if !query.stale {
        if let Err(failure) = node.queue.read_barrier().await {
            return failed(failure, &uri);
        }
    }
    let limit = query.limit.unwrap_or(1000).min(10_000);
    match node.state.current().scan(query.prefix.as_bytes(), query.from.as_bytes(), limit) {
        Ok(pairs) => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            Json(pairs.iter().map(|(key, value)| [text(key), text(value)]).collect::<Vec<_>>()).into_response()
        }
        Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, error),
    }
}

async fn identity(State(node): Shared) -> Response {
    Json(node.me.identity.clone()).into_response()
}

async fn metrics(State(node): Shared) -> Response {
    let metrics = node.raft.metrics().borrow().clone();
    let index = |log_id: Option<crate::types::LogId>| log_id.map_or(0, |log_id| log_id.index);
    let membership = metrics.membership_config.membership();
    let replication = metrics.replication.map(|replication| {
        replication.into_iter().map(|(id, matched)| (id, index(matched))).collect::<BTreeMap<_, _>>()
    });
    Json(json!({
        "id": metrics.id,
        "state": format!("{:?}", metrics.state),
        "leader": metrics.current_leader,
        "term": metrics.current_term,
        "last_log": metrics.last_log_index,
        "applied": index(metrics.last_applied),
        "snapshot": index(metrics.snapshot),
        "purged": index(metrics.purged),
        "voters": membership.voter_ids().collect::<BTreeSet<_>>(),
        "learners": membership.learner_ids().collect::<BTreeSet<_>>(),
        "members": membership.nodes().map(|(id, member)| (*id, member.addr.clone())).collect::<BTreeMap<_, _>>(),
        "replicated": replication,
        "millis_since_majority": metrics.millis_since_quorum_ack,
    }))
    .into_response()
}

async fn member_at(node: &Node, id: NodeId, addr: &str) -> Result<Member, String> {
    let found = if addr == node.me.addr { node.me.identity.clone() } else { node.network.identity_at(addr).await? };
    if found.id != id {
        return Err(format!("{addr} is node {}, not node {id}", found.id));
    }
    if found.cluster != node.me.identity.cluster {
        return Err(format!("{addr} belongs to the cluster '{}', not to '{}'", found.cluster, node.me.identity.cluster));
    }
    Ok(Member { addr: addr.to_string(), incarnation: found.incarnation })
}

/// Body: {"1": "host:port", ...}, all of the first members. Once in a cluster's life, on one of them.
async fn init(State(node): Shared, Json(wanted): Json<BTreeMap<NodeId, String>>) -> Response {
    let mut members = BTreeMap::new();
    for (id, addr) in wanted {
        match member_at(&node, id, &addr).await {
            Ok(member) => members.insert(id, member),
            Err(words) => return refused(StatusCode::CONFLICT, words),
        };
    }
    match node.raft.initialize(members).await {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(error) => refused(StatusCode::CONFLICT, error),
    }
}

#[derive(Deserialize)]
struct Added {
    id: NodeId,
    addr: String,
}

fn changed<T>(result: Result<T, RaftError<NodeId, ClientWriteError<NodeId, Member>>>, uri: &Uri) -> Response {
    match result {
        Ok(_) => StatusCode::NO_CONTENT.into_response(),
        Err(RaftError::APIError(ClientWriteError::ForwardToLeader(forward))) => failed(Failure::NotLeader(forward.leader_node), uri),
        Err(error) => refused(StatusCode::CONFLICT, error),
    }
}

/// A learner, who gets the log and does not vote. Answers when it has caught up.
async fn add(State(node): Shared, uri: Uri, Json(added): Json<Added>) -> Response {
    let member = match member_at(&node, added.id, &added.addr).await {
        Ok(member) => member,
        Err(words) => return refused(StatusCode::CONFLICT, words),
    };
    let known = node.raft.metrics().borrow().membership_config.membership().get_node(&added.id).cloned();
    if let Some(known) = known.filter(|known| *known != member) {
        let words = if known.incarnation != member.incarnation {
            format!(
                "node {} is a member already, with another directory (at {}). Two nodes must not have one id: make the new one with \
                 another id, and remove the old one",
                added.id, known.addr
            )
        } else {
            format!("node {} is a member already, at {}", added.id, known.addr)
        };
        return refused(StatusCode::CONFLICT, words);
    }
    changed(node.raft.add_learner(added.id, member, true).await, &uri)
}

/// Body: [1, 2, 3], those who vote from now on. Who is not among them is removed.
async fn members(State(node): Shared, uri: Uri, Json(voters): Json<BTreeSet<NodeId>>) -> Response {
    changed(node.raft.change_membership(voters, false).await, &uri)
}

async fn take_snapshot(State(node): Shared) -> Response {
    match node.raft.trigger().snapshot().await {
        Ok(()) => StatusCode::ACCEPTED.into_response(),
        Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, error),
    }
}

/// Whether a call from another node is meant for this one and comes from whom the members' list knows.
fn check_call(node: &Node, headers: &HeaderMap) -> Result<(), String> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let from: Vec<&str> = text(FROM).split(' ').collect();
    let to: Vec<&str> = text(TO).split(' ').collect();
    let ([cluster, id, incarnation, addr], [to_id, to_incarnation]) = (&from[..], &to[..]) else {
        return Err("a call without its sender and receiver".into());
    };
    let me = &node.me.identity;
    if *cluster != me.cluster {
        return Err(format!("this node belongs to the cluster '{}', the call comes from '{cluster}'", me.cluster));
    }
    if *to_id != me.id.to_string() {
        return Err(format!("the call is for node {to_id}, here is node {}", me.id));
    }
    if *to_incarnation != me.incarnation.to_string() {
        return Err(format!(
            "node {} at {} has another directory than the member of the cluster has: its files were lost or it is another machine. Remove \
             the member and add this one under a new id",
            me.id, node.me.addr
        ));
    }
    let id: NodeId = id.parse().map_err(|_| "a sender without an id")?;
    let known = node.raft.metrics().borrow().membership_config.membership().get_node(&id).cloned();
    match known {
        Some(known) if known.incarnation.to_string() != *incarnation || known.addr != *addr => Err(format!(
            "two nodes with one identity: node {id} is at {} for node {}, and another one calls from {addr}; it is refused",
            known.addr, me.id
        )),
        _ => Ok(()),
    }
}

fn checked(node: &Node, headers: &HeaderMap) -> Result<(), Box<Response>> {
    check_call(node, headers).map_err(|words| {
        tracing::warn!("refuses a call: {words}");
        Box::new((StatusCode::CONFLICT, words).into_response())
    })
}

fn answer<T: serde::Serialize>(answer: &T) -> Response {
    match postcard::to_stdvec(answer) {
        Ok(bytes) => bytes.into_response(),
        Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, error),
    }
}

async fn append(State(node): Shared, headers: HeaderMap, body: Bytes) -> Response {
    if let Err(response) = checked(&node, &headers) {
        return *response;
    }
    match postcard::from_bytes(&body) {
        Ok(rpc) => answer(&node.raft.append_entries(rpc).await),
        Err(error) => refused(StatusCode::BAD_REQUEST, error),
    }
}

async fn vote(State(node): Shared, headers: HeaderMap, body: Bytes) -> Response {
    if let Err(response) = checked(&node, &headers) {
        return *response;
    }
    match postcard::from_bytes(&body) {
        Ok(rpc) => answer(&node.raft.vote(rpc).await),
        Err(error) => refused(StatusCode::BAD_REQUEST, error),
    }
}

async fn snapshot(State(node): Shared, headers: HeaderMap, body: Body) -> Response {
    if let Err(response) = checked(&node, &headers) {
        return *response;
    }
    let received = match node.state.incoming() {
        Ok(received) => received,
        Err(error) => return refused(StatusCode::INSUFFICIENT_STORAGE, error),
    };
    let (to, pieces) = mpsc::channel(4);
    let mut stream = body.into_data_stream();
    tokio::spawn(async move {
        while let Some(piece) = stream.next().await {
            if to.send(piece.map_err(std::io::Error::other)).await.is_err() {
                break;
            }
        }
    });
    let mut reader = PieceReader::new(tokio::runtime::Handle::current(), pieces);
    let folder = received.clone();
    let unpacked = tokio::task::spawn_blocking(move || {
        let head = snapshot_stream::unpack_head(&mut reader)?;
        snapshot_stream::unpack_files(&mut reader, folder.path())?;
        Ok::<_, std::io::Error>(head)
    });
    match unpacked.await.expect("no panic in it") {
        Ok((vote, meta)) => {
            tracing::info!("received snapshot {}", meta.snapshot_id);
            let snapshot = Snapshot { meta, snapshot: Box::new(received) };
            answer(&node.raft.install_full_snapshot(vote, snapshot).await)
        }
        Err(error) => {
            tracing::warn!("a snapshot was not received: {error}");
            refused(StatusCode::INSUFFICIENT_STORAGE, error)
        }
    }
}
