//! The state machine: a database that the log is applied to. A snapshot is a checkpoint of it, and is installed by opening a copy beside
//! and naming that in CURRENT: a kill at any instant leaves the old state or the new one.
//!
//!   <root>/CURRENT        the name of the generation that holds the state
//!   <root>/gen-<n>        the database: `d` and a key are data, `m...` says up to where the log was applied
//!   <root>/snapshot-<id>  the newest snapshot (a checkpoint, which shares its tables with the database)
//!   <root>/incoming-<n>   a snapshot that is being received
//!
//! All else that lies there is left over from a kill and is removed at the start. What is applied is not synced: the log has it, and is
//! purged only up to a snapshot, whose making flushes the database. Each entry's changes and its index are one batch in one column family,
//! so that a crash never leaves one without the other.
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use openraft::storage::{RaftStateMachine, Snapshot};
use openraft::{AnyError, Entry, EntryPayload, OptionalSend, RaftSnapshotBuilder};
use rocksdb::checkpoint::Checkpoint;
use rocksdb::{Direction, IteratorMode, Options, WriteBatch, DB};
use tokio::sync::watch;

use crate::die_at;
use crate::files::{self, SnapshotFiles};
use crate::types::{LogId, Member, NodeId, Op, Replies, Reply, SnapshotMeta, StorageError, StorageIOError, StoredMembership, TypeConfig};

const APPLIED: &[u8] = b"mapplied";
const MEMBERSHIP: &[u8] = b"mmembership";

type AppliedState = (Option<LogId>, StoredMembership);
pub type Error = Box<dyn std::error::Error + Send + Sync>;

fn failed(make: impl Fn(AnyError) -> StorageIOError, error: impl std::fmt::Display) -> StorageError {
    make(AnyError::error(error.to_string())).into()
}

/// A database that is open, and its folder. Readers may hold it while another takes its place.
pub struct Generation {
    db: Option<DB>,
    path: PathBuf,
    replaced: std::sync::atomic::AtomicBool,
}

impl Generation {
    fn open(path: PathBuf, new: bool) -> Result<Self, rocksdb::Error> {
        let mut options = Options::default();
        options.create_if_missing(new);
        options.set_keep_log_file_num(4);
        let db = DB::open(&options, &path)?;
        Ok(Self { db: Some(db), path, replaced: Default::default() })
    }

    pub fn db(&self) -> &DB {
        self.db.as_ref().expect("open until it is dropped")
    }

    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, rocksdb::Error> {
        self.db().get(data_key(key))
    }

    /// Pairs whose key starts with `prefix`, from `from` on, `limit` at most.
    #[allow(clippy::type_complexity)]
    pub fn scan(&self, prefix: &[u8], from: &[u8], limit: usize) -> Result<Vec<(Vec<u8>, Vec<u8>)>, rocksdb::Error> {
        let (prefix, start) = (data_key(prefix), data_key(from.max(prefix)));
        let mut found = Vec::new();
        for item in self.db().iterator(IteratorMode::From(&start, Direction::Forward)) {
            let (key, value) = item?;
            if found.len() == limit || !key.starts_with(&prefix) {
                break;
            }
            found.push((key[1..].to_vec(), value.to_vec()));
        }
        Ok(found)
    }
}

impl Drop for Generation {
    fn drop(&mut self) {
        self.db = None;    // closes it, before its files go
        if *self.replaced.get_mut() {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

fn data_key(key: &[u8]) -> Vec<u8> {
    [b"d", key].concat()
}

fn applied_state(db: &DB) -> Result<AppliedState, Error> {
    let applied = db.get(APPLIED)?.map(|bytes| postcard::from_bytes(&bytes)).transpose()?;
    let membership = db.get(MEMBERSHIP)?.map(|bytes| postcard::from_bytes(&bytes)).transpose()?;
    Ok((applied, membership.unwrap_or_default()))
}

/// Up to where the state would be there after a power cut; the log may be purged up to it.
#[derive(Clone, Debug)]
pub struct Durable {
    pub upto: Option<LogId>,
    /// The state cannot be written any more; there is nothing to wait for.
    pub failed: bool,
}

struct Inner {
    root: PathBuf,
    open: RwLock<Arc<Generation>>,
    snapshot: Mutex<Option<(SnapshotMeta, SnapshotFiles)>>,
    next: AtomicU64,    // number of the next folder
    durable: watch::Sender<Durable>,
}

#[derive(Clone)]
pub struct StateMachine(Arc<Inner>);

impl StateMachine {
    pub fn open(root: &Path, new: bool) -> Result<Self, Error> {
        let current = root.join("CURRENT");
        if new {
            fs::create_dir_all(root).map_err(|error| files::at(root, error))?;
            drop(Generation::open(root.join("gen-0"), true)?);
            files::replace(&current, "gen-0\n")?;
        }
        let name = fs::read_to_string(&current).map_err(|error| files::at(&current, error))?.trim().to_string();
        let number: u64 = name.strip_prefix("gen-").and_then(|text| text.parse().ok()).ok_or_else(|| format!("{}: names no generation", current.display()))?;
        let generation = Generation::open(root.join(&name), false)?;
        let (applied, _) = applied_state(generation.db())?;
        let snapshot = Self::clean(root, &name)?;
        let inner = Inner {
            root: root.to_path_buf(),
            open: RwLock::new(Arc::new(generation)),
            snapshot: Mutex::new(snapshot),
            next: AtomicU64::new(number + 1),
            durable: watch::Sender::new(Durable { upto: applied, failed: false }),
        };
        Ok(Self(Arc::new(inner)))
    }

    /// Removes what kills have left; the newest snapshot stays.
    fn clean(root: &Path, current: &str) -> Result<Option<(SnapshotMeta, SnapshotFiles)>, Error> {
        let mut newest: Option<(SnapshotMeta, SnapshotFiles)> = None;
        for name in files::names(root)? {
            let path = root.join(&name);
            if name == current || name == "CURRENT" {
                continue;
            }
            let meta = name.strip_prefix("snapshot-").and_then(|id| Self::meta_of(&path, id).ok());
            let older = match (&meta, &newest) {
                (Some(meta), Some((kept, _))) => meta.last_log_id <= kept.last_log_id,
                (meta, _) => meta.is_none(),
            };
            if older {
                if path.is_dir() {
                    fs::remove_dir_all(&path)?;
                } else {
                    fs::remove_file(&path)?;
                }
                continue;
            }
            if let Some((_, replaced)) = newest.replace((meta.expect("not older"), SnapshotFiles::new(path))) {
                replaced.give_up();
            }
        }
        Ok(newest)
    }

    /// What a checkpoint says of itself; that it opens is seen, too.
    fn meta_of(path: &Path, id: &str) -> Result<SnapshotMeta, Error> {
        let db = DB::open_for_read_only(&Options::default(), path, false)?;
        let (last_log_id, last_membership) = applied_state(&db)?;
        Ok(SnapshotMeta { last_log_id, last_membership, snapshot_id: id.to_string() })
    }

    pub fn current(&self) -> Arc<Generation> {
        self.0.open.read().expect("no panic under it").clone()
    }

    pub fn durable(&self) -> watch::Receiver<Durable> {
        self.0.durable.subscribe()
    }

    fn durable_upto(&self, log_id: Option<LogId>) {
        self.0.durable.send_modify(|durable| durable.upto = durable.upto.max(log_id));
    }

    fn number(&self) -> u64 {
        self.0.next.fetch_add(1, Ordering::Relaxed)    // only unique
    }

    /// A checkpoint of `generation` becomes the newest snapshot; `id` None: a new one is made up.
    fn keep_checkpoint(&self, generation: &Generation, id: Option<&str>) -> Result<(SnapshotMeta, SnapshotFiles), Error> {
        let making = self.0.root.join(format!("making-{}", self.number()));
        Checkpoint::new(generation.db())?.create_checkpoint(&making)?;
        files::sync_all(&making)?;
        let mut meta = Self::meta_of(&making, id.unwrap_or(""))?;
        if id.is_none() {
            // Unique among all nodes and all starts.
            let index = meta.last_log_id.map_or(0, |log_id| log_id.index);
            meta.snapshot_id = format!("{index}-{:016x}", rand::random::<u64>());
        }
        let path = self.0.root.join(format!("snapshot-{}", meta.snapshot_id));
        if path.exists() {
            fs::remove_dir_all(&path)?;    // the same was installed before
        }
        fs::rename(&making, &path).map_err(|error| files::at(&path, error))?;
        files::sync_folder(&self.0.root)?;
        self.durable_upto(meta.last_log_id);    // the checkpoint has flushed the database
        let made = (meta, SnapshotFiles::new(path));
        let mut kept = self.0.snapshot.lock().expect("no panic under it");
        match &*kept {
            // One that was installed while this one was made.
            Some((newer, _)) if newer.last_log_id > made.0.last_log_id => made.1.give_up(),
            before => {
                if let Some((_, replaced)) = before.as_ref().filter(|(before, _)| before.snapshot_id != made.0.snapshot_id) {
                    replaced.give_up();
                }
                *kept = Some(made.clone());
            }
        }
        Ok(made)
    }

    fn install(&self, meta: &SnapshotMeta, received: &SnapshotFiles) -> Result<(), Error> {
        let name = format!("gen-{}", self.number());
        let path = self.0.root.join(&name);
        files::link_or_copy(received.path(), &path)?;
        die_at::step("install-linked");
        files::sync_all(&path)?;
        files::sync_folder(&self.0.root)?;
        die_at::step("install-synced");
        // Opened before it is named: what does not open must not become the state.
        let generation = Arc::new(Generation::open(path, false)?);
        let (applied, _) = applied_state(generation.db())?;
        if applied != meta.last_log_id {
            generation.replaced.store(true, Ordering::Relaxed);
            return Err(format!("the snapshot ends at {applied:?}, its sender says {:?}", meta.last_log_id).into());
        }
        files::replace(&self.0.root.join("CURRENT"), &format!("{name}\n"))?;
        die_at::step("install-current");
        self.durable_upto(applied);
        let old = std::mem::replace(&mut *self.0.open.write().expect("no panic under it"), generation.clone());
        old.replaced.store(true, Ordering::Relaxed);
        drop(old);
        die_at::step("install-reopened");
        self.keep_checkpoint(&generation, Some(&meta.snapshot_id))?;
        if received.path().parent() == Some(&self.0.root) {
            received.give_up();
        }
        die_at::step("install-kept");
        Ok(())
    }

    fn apply_all(&self, entries: Vec<Entry<TypeConfig>>) -> Result<Vec<Replies>, Error> {
        let generation = self.current();
        let mut batch = WriteBatch::default();
        // What the batch has written already: a CompareAndSwap in it sees that.
        let mut written: HashMap<Vec<u8>, Option<Vec<u8>>> = HashMap::new();
        let mut answers = Vec::with_capacity(entries.len());
        let mut last = None;
        for entry in entries {
            last = Some(entry.log_id);
            let mut replies = Vec::new();
            match entry.payload {
                EntryPayload::Blank => {}
                EntryPayload::Membership(membership) => {
                    let stored = StoredMembership::new(Some(entry.log_id), membership);
                    batch.put(MEMBERSHIP, postcard::to_stdvec(&stored)?);
                }
                EntryPayload::Normal(request) => {
                    for op in request.ops {
                        replies.push(Self::apply_one(generation.db(), op, &mut batch, &mut written)?);
                    }
                }
            }
            answers.push(Replies(replies));
        }
        if let Some(log_id) = last {
            batch.put(APPLIED, postcard::to_stdvec(&log_id)?);
            generation.db().write(batch)?;
        }
        Ok(answers)
    }

    fn apply_one(db: &DB, op: Op, batch: &mut WriteBatch, written: &mut HashMap<Vec<u8>, Option<Vec<u8>>>) -> Result<Reply, Error> {
        let (key, value) = match op {
            Op::Put { key, value } => (data_key(&key), Some(value)),
            Op::Delete { key } => (data_key(&key), None),
            Op::CompareAndSwap { key, expected, new } => {
                let key = data_key(&key);
                let found = match written.get(&key) {
                    Some(value) => value.clone(),
                    None => db.get(&key)?,
                };
                if found != expected {
                    return Ok(Reply::Differs);
                }
                (key, Some(new))
            }
        };
        match &value {
            Some(value) => batch.put(&key, value),
            None => batch.delete(&key),
        }
        written.insert(key, value);
        Ok(Reply::Done)
    }

    /// Where a snapshot is received.
    pub fn incoming(&self) -> io::Result<SnapshotFiles> {
        let path = self.0.root.join(format!("incoming-{}", self.number()));
        fs::create_dir_all(&path).map_err(|error| files::at(&path, error))?;
        let received = SnapshotFiles::new(path);
        received.give_up();    // it lives as long as somebody receives or installs it
        Ok(received)
    }
}

impl RaftSnapshotBuilder<TypeConfig> for StateMachine {
    async fn build_snapshot(&mut self) -> Result<Snapshot<TypeConfig>, StorageError> {
        let this = self.clone();
        let made = tokio::task::spawn_blocking(move || this.keep_checkpoint(&this.current(), None)).await.expect("no panic in it");
        let (meta, kept) = made.map_err(|error| failed(|e| StorageIOError::write_snapshot(None, e), error))?;
        Ok(Snapshot { meta, snapshot: Box::new(kept) })
    }
}

impl RaftStateMachine<TypeConfig> for StateMachine {
    type SnapshotBuilder = Self;

    async fn applied_state(&mut self) -> Result<(Option<LogId>, openraft::StoredMembership<NodeId, Member>), StorageError> {
        applied_state(self.current().db()).map_err(|error| failed(StorageIOError::read_state_machine, error))
    }

    async fn apply<I>(&mut self, entries: I) -> Result<Vec<Replies>, StorageError>
    where
        I: IntoIterator<Item = Entry<TypeConfig>> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let (this, entries) = (self.clone(), entries.into_iter().collect::<Vec<_>>());
        let applied = tokio::task::spawn_blocking(move || this.apply_all(entries)).await.expect("no panic in it");
        if applied.is_err() {
            self.0.durable.send_modify(|durable| durable.failed = true);
        }
        applied.map_err(|error| failed(StorageIOError::write_state_machine, error))
    }

    async fn get_snapshot_builder(&mut self) -> Self::SnapshotBuilder {
        self.clone()
    }

    async fn begin_receiving_snapshot(&mut self) -> Result<Box<SnapshotFiles>, StorageError> {
        self.incoming().map(Box::new).map_err(|error| failed(|e| StorageIOError::write_snapshot(None, e), error))
    }

    async fn install_snapshot(&mut self, meta: &SnapshotMeta, snapshot: Box<SnapshotFiles>) -> Result<(), StorageError> {
        let (this, meta) = (self.clone(), meta.clone());
        let installed = tokio::task::spawn_blocking(move || {
            let installed = this.install(&meta, &snapshot);
            if installed.is_err() {
                this.0.durable.send_modify(|durable| durable.failed = true);
            }
            installed
        });
        let installed = installed.await.expect("no panic in it");
        installed.map_err(|error| failed(|e| StorageIOError::write_snapshot(None, e), error))
    }

    async fn get_current_snapshot(&mut self) -> Result<Option<Snapshot<TypeConfig>>, StorageError> {
        let kept = self.0.snapshot.lock().expect("no panic under it").clone();
        Ok(kept.map(|(meta, files)| Snapshot { meta, snapshot: Box::new(files) }))
    }
}
