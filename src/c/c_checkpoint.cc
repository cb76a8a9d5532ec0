// The C interface: checkpoints.
#include "c/c_checkpoint.h"

#include "c/c_objects.h"
#include "c/c_transaction_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

namespace {

rocksdb_checkpoint_t* Create(DB* db, char** errptr) {
  Checkpoint* made = nullptr;
  if (!cairn::Report(errptr, Checkpoint::Create(db, &made))) return nullptr;
  return new rocksdb_checkpoint_t{std::unique_ptr<Checkpoint>(made)};
}

}  // namespace

extern "C" {

rocksdb_checkpoint_t* rocksdb_checkpoint_object_create(rocksdb_t* db, char** errptr) {
  return Create(db->rep.get(), errptr);
}
rocksdb_checkpoint_t* rocksdb_transactiondb_checkpoint_object_create(
    rocksdb_transactiondb_t* txn_db, char** errptr) {
  return Create(txn_db->rep.get(), errptr);
}
rocksdb_checkpoint_t* rocksdb_optimistictransactiondb_checkpoint_object_create(
    rocksdb_optimistictransactiondb_t* otxn_db, char** errptr) {
  return Create(otxn_db->rep.get(), errptr);
}
void rocksdb_checkpoint_create(rocksdb_checkpoint_t* checkpoint, const char* checkpoint_dir,
                               uint64_t log_size_for_flush, char** errptr) {
  cairn::Report(errptr, checkpoint->rep->CreateCheckpoint(checkpoint_dir, log_size_for_flush));
}
void rocksdb_checkpoint_object_destroy(rocksdb_checkpoint_t* checkpoint) { delete checkpoint; }

}  // extern "C"
