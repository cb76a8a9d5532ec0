//! Calls from node to node: HTTP, with bodies in postcard. Each call says who calls and whom it is meant for, incarnations included; the
//! other side refuses what is not so (server.rs).
use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;
use hyper::{Method, Request, StatusCode};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use openraft::error::{Fatal, NetworkError, RPCError, RaftError, RemoteError, ReplicationClosed, StreamingError, Timeout, Unreachable};
use openraft::network::{Backoff, RPCOption, RaftNetwork, RaftNetworkFactory};
use openraft::raft::{AppendEntriesRequest, AppendEntriesResponse, SnapshotResponse, VoteRequest, VoteResponse};
use openraft::{AnyError, OptionalSend, RPCTypes, Snapshot};
use serde::de::DeserializeOwned;
use serde::Serialize;

use crate::identity::Identity;
use crate::snapshot_stream::{self, PieceWriter};
use crate::types::{Member, NodeId, TypeConfig, Vote};

pub const FROM: &str = "x-cairn-from";
pub const TO: &str = "x-cairn-to";
const CONNECT: Duration = Duration::from_millis(300);
const WHOLE_SNAPSHOT: Duration = Duration::from_secs(600);
const LONGEST_ANSWER: usize = 1 << 20;

type Body = UnsyncBoxBody<Bytes, io::Error>;

/// What a node calls itself in its calls: `cluster id incarnation address`.
pub struct Myself {
    pub identity: Identity,
    pub addr: String,
}

impl Myself {
    fn from_header(&self) -> String {
        format!("{} {} {} {}", self.identity.cluster, self.identity.id, self.identity.incarnation, self.addr)
    }
}

#[derive(Clone)]
pub struct Network {
    client: Client<HttpConnector, Body>,
    me: Arc<Myself>,
}

fn whole(bytes: Vec<u8>) -> Body {
    Full::new(Bytes::from(bytes)).map_err(|never| match never {}).boxed_unsync()
}

impl Network {
    pub fn new(me: Arc<Myself>) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(CONNECT));
        connector.set_nodelay(true);
        Self { client: Client::builder(TokioExecutor::new()).pool_max_idle_per_host(4).build(connector), me }
    }

    async fn call(&self, method: Method, addr: &str, path: &str, to: Option<String>, body: Body) -> Result<Bytes, String> {
        let mut request = Request::builder().method(method).uri(format!("http://{addr}{path}")).header(FROM, self.me.from_header());
        if let Some(to) = to {
            request = request.header(TO, to);
        }
        let request = request.body(body).map_err(|error| format!("{addr}: {error}"))?;
        let answer = self.client.request(request).await.map_err(|error| {
            let cause = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
            format!("{addr}: {error}{cause}")
        })?;
        let status = answer.status();
        let limited = http_body_util::Limited::new(answer.into_body(), LONGEST_ANSWER);
        let bytes = limited.collect().await.map_err(|error| format!("{addr}: {error}"))?.to_bytes();
        if status != StatusCode::OK {
            return Err(format!("{addr}: {}", String::from_utf8_lossy(&bytes)));
        }
        Ok(bytes)
    }

    /// Asks who is at an address.
    pub async fn identity_at(&self, addr: &str) -> Result<Identity, String> {
        let asked = self.call(Method::GET, addr, "/identity", None, whole(Vec::new()));
        let bytes = tokio::time::timeout(Duration::from_secs(3), asked).await.map_err(|_| format!("{addr}: no answer in 3 seconds"))??;
        serde_json::from_slice(&bytes).map_err(|error| format!("{addr}: no node answers there: {error}"))
    }
}

impl RaftNetworkFactory<TypeConfig> for Network {
    type Network = Connection;

    async fn new_client(&mut self, target: NodeId, node: &Member) -> Connection {
        Connection { network: self.clone(), target, member: node.clone(), said: Arc::default() }
    }
}

pub struct Connection {
    network: Network,
    target: NodeId,
    member: Member,
    said: Arc<Mutex<String>>,    // the last trouble that was told of: each kind once, not at each heartbeat
}

type CallError<E> = RPCError<NodeId, Member, E>;

impl Connection {
    fn to(&self) -> Option<String> {
        Some(format!("{} {}", self.target, self.member.incarnation))
    }

    fn tell(&self, trouble: &str) {
        let mut said = self.said.lock().expect("no panic under it");
        if *said != trouble {
            tracing::warn!("node {}: {trouble}", self.target);
            *said = trouble.to_string();
        }
    }

    async fn ask<Q, A, E>(&self, path: &str, question: &Q, action: RPCTypes, ttl: Duration) -> Result<A, CallError<E>>
    where
        Q: Serialize,
        A: DeserializeOwned,
        E: std::error::Error + DeserializeOwned,
    {
        let body = postcard::to_stdvec(question).map_err(|error| NetworkError::new(&error))?;
        let asked = self.network.call(Method::POST, &self.member.addr, path, self.to(), whole(body));
        let answer = match tokio::time::timeout(ttl, asked).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(trouble)) => {
                self.tell(&trouble);
                return Err(Unreachable::new(&AnyError::error(trouble)).into());
            }
            Err(_) => {
                let id = self.network.me.identity.id;
                return Err(Timeout { action, id, target: self.target, timeout: ttl }.into());
            }
        };
        let answer: Result<A, E> = postcard::from_bytes(&answer).map_err(|error| NetworkError::new(&error))?;
        self.said.lock().expect("no panic under it").clear();
        answer.map_err(|error| RemoteError::new(self.target, error).into())
    }
}

impl RaftNetwork<TypeConfig> for Connection {
    async fn append_entries(
        &mut self,
        rpc: AppendEntriesRequest<TypeConfig>,
        option: RPCOption,
    ) -> Result<AppendEntriesResponse<NodeId>, CallError<RaftError<NodeId>>> {
        self.ask("/raft/append", &rpc, RPCTypes::AppendEntries, option.hard_ttl()).await
    }

    async fn vote(&mut self, rpc: VoteRequest<NodeId>, option: RPCOption) -> Result<VoteResponse<NodeId>, CallError<RaftError<NodeId>>> {
        self.ask("/raft/vote", &rpc, RPCTypes::Vote, option.hard_ttl()).await
    }

    async fn full_snapshot(
        &mut self,
        vote: Vote,
        snapshot: Snapshot<TypeConfig>,
        cancel: impl Future<Output = ReplicationClosed> + OptionalSend + 'static,
        _option: RPCOption,
    ) -> Result<SnapshotResponse<NodeId>, StreamingError<TypeConfig, Fatal<NodeId>>> {
        let (to, pieces) = tokio::sync::mpsc::channel(4);
        let runtime = tokio::runtime::Handle::current();
        let (target, addr) = (self.target, self.member.addr.clone());
        tracing::info!("sends snapshot {} to node {target} at {addr}", snapshot.meta.snapshot_id);
        tokio::task::spawn_blocking(move || {
            let mut writer = PieceWriter::new(runtime, to.clone());
            if let Err(error) = snapshot_stream::pack(&vote, &snapshot.meta, snapshot.snapshot.path(), &mut writer) {
                let _ = to.try_send(Err(error));    // breaks the body off, so that the receiver does not take it for whole
            }
        });
        let frames = futures_util::stream::unfold(pieces, |mut pieces| async move { pieces.recv().await.map(|piece| (piece, pieces)) });
        let body = StreamBody::new(frames.map(|piece| piece.map(Frame::data))).boxed_unsync();
        let asked = self.network.call(Method::POST, &self.member.addr, "/raft/snapshot", self.to(), body);
        let answer = tokio::select! {
            answer = tokio::time::timeout(WHOLE_SNAPSHOT, asked) => answer,
            closed = cancel => return Err(closed.into()),
        };
        let unreachable = |trouble: String| -> StreamingError<TypeConfig, Fatal<NodeId>> {
            self.tell(&trouble);
            Unreachable::new(&AnyError::error(trouble)).into()
        };
        let bytes = answer.map_err(|_| unreachable("a snapshot took too long".into()))?.map_err(unreachable)?;
        let answer: Result<SnapshotResponse<NodeId>, Fatal<NodeId>> =
            postcard::from_bytes(&bytes).map_err(|error| StreamingError::Network(NetworkError::new(&error)))?;
        answer.map_err(|error| StreamingError::RemoteError(RemoteError::new(self.target, error)))
    }

    fn backoff(&self) -> Backoff {
        Backoff::new(std::iter::repeat(Duration::from_millis(100)))
    }
}
