//! Raft's log and vote in a database of their own. Every write is synced before it is reported: what a majority has acknowledged is on a
//! majority of disks. (openraft-rocksstore, the store that comes with OpenRaft, writes without a sync; README.md says more.)
//!
//! Keys: `l` and the index, big-endian, are entries; `m` and a name is what there is one of. One column family holds both, and each change
//! is one batch.
use std::fmt::Debug;
use std::io;
use std::ops::{Bound, RangeBounds};
use std::path::Path;
use std::sync::Arc;

use openraft::storage::{LogFlushed, LogState, RaftLogStorage};
use openraft::{Entry, OptionalSend, RaftLogReader};
use rocksdb::{DBRecoveryMode, Direction, IteratorMode, Options, WriteBatch, WriteOptions, DB};
use serde::de::DeserializeOwned;
use tokio::sync::watch;

use crate::state_machine::Durable;
use crate::types::{LogId, StorageError, StorageIOError, TypeConfig, Vote};

const VOTE: &[u8] = b"mvote";
const PURGED: &[u8] = b"mpurged";

#[derive(Clone)]
pub struct LogStore {
    db: Arc<DB>,
    state: Option<watch::Receiver<Durable>>,
}

fn key_of(index: u64) -> [u8; 9] {
    let mut key = [b'l'; 9];
    key[1..].copy_from_slice(&index.to_be_bytes());
    key
}

fn encode<T: serde::Serialize>(value: &T) -> Result<Vec<u8>, StorageError> {
    postcard::to_stdvec(value).map_err(|error| StorageIOError::write_logs(&error).into())
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, StorageError> {
    postcard::from_bytes(bytes).map_err(|error| StorageIOError::read_logs(&error).into())
}

fn unreadable(error: rocksdb::Error) -> StorageError {
    StorageIOError::read_logs(&error).into()
}

impl LogStore {
    /// `new`: makes the database; without it a missing one is an error, as a vote may be lost with it.
    pub fn open(path: &Path, new: bool) -> Result<Self, rocksdb::Error> {
        let mut options = Options::default();
        options.create_if_missing(new);
        options.set_error_if_exists(new);
        // A record torn by a crash at the end was never acknowledged; damage before it is an error. The default would cut the log there,
        // and entries that this node has acknowledged would be gone without a word.
        options.set_wal_recovery_mode(DBRecoveryMode::TolerateCorruptedTailRecords);
        options.set_keep_log_file_num(4);
        Ok(Self { db: Arc::new(DB::open(&options, path)?), state: None })
    }

    /// A purge waits until the state machine has what is purged on its disk. OpenRaft 0.9 purges up to a snapshot as soon as it has handed
    /// the snapshot to the state machine, and a kill before that has installed it would leave neither the entries nor the snapshot.
    pub fn purging_after(mut self, state: watch::Receiver<Durable>) -> Self {
        self.state = Some(state);
        self
    }

    fn synced() -> WriteOptions {
        let mut options = WriteOptions::default();
        options.set_sync(true);
        options
    }

    /// On a thread that may block: a sync takes milliseconds.
    async fn write(&self, batch: WriteBatch) -> Result<(), rocksdb::Error> {
        let db = self.db.clone();
        tokio::task::spawn_blocking(move || db.write_opt(batch, &Self::synced())).await.expect("a write does not panic")
    }

    fn read<T: DeserializeOwned>(&self, key: &[u8]) -> Result<Option<T>, StorageError> {
        self.db.get(key).map_err(unreadable)?.map(|bytes| decode(&bytes)).transpose()
    }

    fn entries(&self, from: u64, to_excluded: Option<u64>) -> Result<Vec<Entry<TypeConfig>>, StorageError> {
        let mut found = Vec::new();
        for item in self.db.iterator(IteratorMode::From(&key_of(from), Direction::Forward)) {
            let (key, value) = item.map_err(unreadable)?;
            if key[0] != b'l' || to_excluded.is_some_and(|end| key[..] >= key_of(end)[..]) {
                break;
            }
            found.push(decode(&value)?);
        }
        Ok(found)
    }
}

impl RaftLogReader<TypeConfig> for LogStore {
    async fn try_get_log_entries<RB: RangeBounds<u64> + Clone + Debug + OptionalSend>(
        &mut self,
        range: RB,
    ) -> Result<Vec<Entry<TypeConfig>>, StorageError> {
        let from = match range.start_bound() {
            Bound::Included(index) => *index,
            Bound::Excluded(index) => index + 1,
            Bound::Unbounded => 0,
        };
        let to = match range.end_bound() {
            Bound::Included(index) => Some(index + 1),
            Bound::Excluded(index) => Some(*index),
            Bound::Unbounded => None,
        };
        self.entries(from, to)
    }
}

impl RaftLogStorage<TypeConfig> for LogStore {
    type LogReader = Self;

    async fn get_log_state(&mut self) -> Result<LogState<TypeConfig>, StorageError> {
        let last_purged_log_id: Option<LogId> = self.read(PURGED)?;
        let last = self.db.iterator(IteratorMode::From(&key_of(u64::MAX), Direction::Reverse)).next().transpose().map_err(unreadable)?;
        let last_log_id = match last {
            Some((key, value)) if key[0] == b'l' => Some(decode::<Entry<TypeConfig>>(&value)?.log_id),
            _ => last_purged_log_id,
        };
        Ok(LogState { last_purged_log_id, last_log_id })
    }

    async fn get_log_reader(&mut self) -> Self::LogReader {
        self.clone()
    }

    async fn save_vote(&mut self, vote: &Vote) -> Result<(), StorageError> {
        let mut batch = WriteBatch::default();
        batch.put(VOTE, encode(vote)?);
        self.write(batch).await.map_err(|error| StorageIOError::write_vote(&error).into())
    }

    async fn read_vote(&mut self) -> Result<Option<Vote>, StorageError> {
        self.read(VOTE)
    }

    async fn append<I>(&mut self, entries: I, callback: LogFlushed<TypeConfig>) -> Result<(), StorageError>
    where
        I: IntoIterator<Item = Entry<TypeConfig>> + OptionalSend,
        I::IntoIter: OptionalSend,
    {
        let mut batch = WriteBatch::default();
        for entry in entries {
            batch.put(key_of(entry.log_id.index), encode(&entry)?);
        }
        match self.write(batch).await {
            Ok(()) => callback.log_io_completed(Ok(())),
            Err(error) => {
                callback.log_io_completed(Err(io::Error::other(error.to_string())));
                return Err(StorageIOError::write_logs(&error).into());
            }
        }
        Ok(())
    }

    async fn truncate(&mut self, log_id: LogId) -> Result<(), StorageError> {
        let mut batch = WriteBatch::default();
        batch.delete_range(&key_of(log_id.index)[..], &b"m"[..]);
        self.write(batch).await.map_err(|error| StorageIOError::write_logs(&error).into())
    }

    async fn purge(&mut self, log_id: LogId) -> Result<(), StorageError> {
        if let Some(state) = &mut self.state {
            let there = state.wait_for(|state| state.failed || state.upto >= Some(log_id)).await.is_ok_and(|state| !state.failed);
            if !there {
                let error = io::Error::other("a snapshot was not installed: the log that it stands for stays");
                return Err(StorageIOError::write_logs(&error).into());
            }
        }
        let mut batch = WriteBatch::default();
        batch.put(PURGED, encode(&log_id)?);
        batch.delete_range(&key_of(0)[..], &key_of(log_id.index + 1)[..]);
        self.write(batch).await.map_err(|error| StorageIOError::write_logs(&error).into())
    }
}
