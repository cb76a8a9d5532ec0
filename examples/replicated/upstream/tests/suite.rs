//! OpenRaft's own suite for stores, on openraft-rocksstore, unmodified; as that crate's own test has it.
use std::sync::Arc;

use openraft::storage::Adaptor;
use openraft::testing::{StoreBuilder, Suite};
use openraft::StorageError;
use openraft_rocksstore::{RocksNodeId, RocksStore, TypeConfig};
use tempfile::TempDir;

type Store = Adaptor<TypeConfig, Arc<RocksStore>>;

struct Builder;

impl StoreBuilder<TypeConfig, Store, Store, TempDir> for Builder {
    async fn build(&self) -> Result<(TempDir, Store, Store), StorageError<RocksNodeId>> {
        let folder = TempDir::new().expect("a folder for the test");
        let store = RocksStore::new(folder.path()).await;
        let (log, state) = Adaptor::new(store);
        Ok((folder, log, state))
    }
}

#[test]
fn openrafts_suite() -> Result<(), StorageError<RocksNodeId>> {
    Suite::test_all(Builder)
}
