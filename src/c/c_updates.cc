// The C interface: the batches in the logs.
#include "c/c_objects.h"
#include "rocksdb/transaction_log.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

struct rocksdb_wal_iterator_t {
  std::unique_ptr<TransactionLogIterator> rep;
};
struct rocksdb_wal_readoptions_t {
  TransactionLogIterator::ReadOptions rep;
};

extern "C" {

rocksdb_wal_readoptions_t* rocksdb_wal_readoptions_create() {
  return new rocksdb_wal_readoptions_t;
}
void rocksdb_wal_readoptions_destroy(rocksdb_wal_readoptions_t* options) { delete options; }
void rocksdb_wal_readoptions_set_verify_checksums(rocksdb_wal_readoptions_t* options,
                                                  unsigned char verify_checksums) {
  options->rep.verify_checksums_ = verify_checksums != 0;
}
unsigned char rocksdb_wal_readoptions_get_verify_checksums(rocksdb_wal_readoptions_t* options) {
  return options->rep.verify_checksums_ ? 1 : 0;
}

rocksdb_wal_iterator_t* rocksdb_get_updates_since(rocksdb_t* db, uint64_t seq_number,
                                                  const rocksdb_wal_readoptions_t* options,
                                                  char** errptr) {
  std::unique_ptr<TransactionLogIterator> made;
  const TransactionLogIterator::ReadOptions how =
      options == nullptr ? TransactionLogIterator::ReadOptions() : options->rep;
  if (!cairn::Report(errptr, db->rep->GetUpdatesSince(seq_number, &made, how))) return nullptr;
  return new rocksdb_wal_iterator_t{std::move(made)};
}
void rocksdb_wal_iter_next(rocksdb_wal_iterator_t* iter) { iter->rep->Next(); }
unsigned char rocksdb_wal_iter_valid(const rocksdb_wal_iterator_t* iter) {
  return static_cast<unsigned char>(iter->rep->Valid());
}
void rocksdb_wal_iter_status(const rocksdb_wal_iterator_t* iter, char** errptr) {
  cairn::Report(errptr, iter->rep->status());
}
rocksdb_writebatch_t* rocksdb_wal_iter_get_batch(const rocksdb_wal_iterator_t* iter,
                                                 uint64_t* seq) {
  const BatchResult result = iter->rep->GetBatch();
  if (seq != nullptr) *seq = result.sequence;
  return new rocksdb_writebatch_t{*result.writeBatchPtr};
}
void rocksdb_wal_iter_destroy(const rocksdb_wal_iterator_t* iter) { delete iter; }

}  // extern "C"
