//! A replicated key-value service: OpenRaft agrees on a log of writes, the crate `rocksdb`, linked to Cairn, keeps the log and the
//! state machine. README.md beside says how it is run and what it promises.
pub mod die_at;
pub mod files;
pub mod identity;
pub mod log_store;
pub mod network;
pub mod queue;
pub mod server;
pub mod snapshot_stream;
pub mod state_machine;
pub mod types;
