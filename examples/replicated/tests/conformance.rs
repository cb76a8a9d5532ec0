//! OpenRaft's own suite for stores, on the log store and the state machine of this example.
use cairn_replicated::log_store::LogStore;
use cairn_replicated::state_machine::StateMachine;
use cairn_replicated::types::{StorageError, TypeConfig};
use openraft::testing::{StoreBuilder, Suite};
use tempfile::TempDir;

struct Builder;

impl StoreBuilder<TypeConfig, LogStore, StateMachine, TempDir> for Builder {
    async fn build(&self) -> Result<(TempDir, LogStore, StateMachine), StorageError> {
        let folder = TempDir::new().expect("a folder for the test");
        let log = LogStore::open(&folder.path().join("log"), true).expect("a new database");
        let state = StateMachine::open(&folder.path().join("state"), true).expect("a new database");
        Ok((folder, log, state))
    }
}

#[test]
fn openrafts_suite() -> Result<(), StorageError> {
    Suite::test_all(Builder)
}
