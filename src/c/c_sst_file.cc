// The C interface: table files made outside of a database, and their ingestion.
#include "c/c_objects.h"
#include "rocksdb/sst_file_writer.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

struct rocksdb_sstfilewriter_t {
  std::unique_ptr<SstFileWriter> rep;
};

namespace {

using cairn::Report;

void IngestFiles(rocksdb_t* db, ColumnFamilyHandle* family, const char* const* file_list,
                 size_t list_len, const rocksdb_ingestexternalfileoptions_t* options,
                 char** errptr) {
  const std::vector<std::string> files(file_list, file_list + list_len);
  Report(errptr, db->rep->IngestExternalFile(family, files, options->rep));
}

}  // namespace

extern "C" {

rocksdb_envoptions_t* rocksdb_envoptions_create() { return new rocksdb_envoptions_t; }
void rocksdb_envoptions_destroy(rocksdb_envoptions_t* options) { delete options; }

rocksdb_sstfilewriter_t* rocksdb_sstfilewriter_create(const rocksdb_envoptions_t* env,
                                                      const rocksdb_options_t* io_options) {
  return new rocksdb_sstfilewriter_t{std::make_unique<SstFileWriter>(env->rep, io_options->rep)};
}
rocksdb_sstfilewriter_t* rocksdb_sstfilewriter_create_with_comparator(
    const rocksdb_envoptions_t* env, const rocksdb_options_t* io_options,
    const rocksdb_comparator_t* /*comparator*/) {
  // As in RocksDB: the comparator is that of the options.
  return rocksdb_sstfilewriter_create(env, io_options);
}
void rocksdb_sstfilewriter_open(rocksdb_sstfilewriter_t* writer, const char* name, char** errptr) {
  Report(errptr, writer->rep->Open(name));
}
void rocksdb_sstfilewriter_add(rocksdb_sstfilewriter_t* writer, const char* key, size_t keylen,
                               const char* val, size_t vallen, char** errptr) {
  Report(errptr, writer->rep->Put(Slice(key, keylen), Slice(val, vallen)));
}
void rocksdb_sstfilewriter_put(rocksdb_sstfilewriter_t* writer, const char* key, size_t keylen,
                               const char* val, size_t vallen, char** errptr) {
  Report(errptr, writer->rep->Put(Slice(key, keylen), Slice(val, vallen)));
}
void rocksdb_sstfilewriter_merge(rocksdb_sstfilewriter_t* writer, const char* key, size_t keylen,
                                 const char* val, size_t vallen, char** errptr) {
  Report(errptr, writer->rep->Merge(Slice(key, keylen), Slice(val, vallen)));
}
void rocksdb_sstfilewriter_delete(rocksdb_sstfilewriter_t* writer, const char* key, size_t keylen,
                                  char** errptr) {
  Report(errptr, writer->rep->Delete(Slice(key, keylen)));
}
void rocksdb_sstfilewriter_delete_range(rocksdb_sstfilewriter_t* writer, const char* begin_key,
                                        size_t begin_keylen, const char* end_key, size_t end_keylen,
                                        char** errptr) {
  Report(errptr,
         writer->rep->DeleteRange(Slice(begin_key, begin_keylen), Slice(end_key, end_keylen)));
}
void rocksdb_sstfilewriter_put_with_ts(rocksdb_sstfilewriter_t* writer, const char* key,
                                       size_t keylen, const char* ts, size_t tslen, const char* val,
                                       size_t vallen, char** errptr) {
  Report(errptr, writer->rep->Put(Slice(key, keylen), Slice(ts, tslen), Slice(val, vallen)));
}
void rocksdb_sstfilewriter_delete_with_ts(rocksdb_sstfilewriter_t* writer, const char* key,
                                          size_t keylen, const char* ts, size_t tslen,
                                          char** errptr) {
  Report(errptr, writer->rep->Delete(Slice(key, keylen), Slice(ts, tslen)));
}
void rocksdb_sstfilewriter_finish(rocksdb_sstfilewriter_t* writer, char** errptr) {
  Report(errptr, writer->rep->Finish());
}
void rocksdb_sstfilewriter_file_size(rocksdb_sstfilewriter_t* writer, uint64_t* file_size) {
  *file_size = writer->rep->FileSize();
}
void rocksdb_sstfilewriter_destroy(rocksdb_sstfilewriter_t* writer) { delete writer; }

rocksdb_ingestexternalfileoptions_t* rocksdb_ingestexternalfileoptions_create() {
  return new rocksdb_ingestexternalfileoptions_t;
}
CAIRN_C_SETTER(ingestexternalfileoptions, unsigned char, move_files)
CAIRN_C_SETTER(ingestexternalfileoptions, unsigned char, snapshot_consistency)
CAIRN_C_SETTER(ingestexternalfileoptions, unsigned char, allow_global_seqno)
CAIRN_C_SETTER(ingestexternalfileoptions, unsigned char, allow_blocking_flush)
CAIRN_C_SETTER(ingestexternalfileoptions, unsigned char, ingest_behind)
CAIRN_C_SETTER(ingestexternalfileoptions, unsigned char, fail_if_not_bottommost_level)
void rocksdb_ingestexternalfileoptions_destroy(rocksdb_ingestexternalfileoptions_t* options) {
  delete options;
}

void rocksdb_ingest_external_file(rocksdb_t* db, const char* const* file_list,
                                  const size_t list_len,
                                  const rocksdb_ingestexternalfileoptions_t* opt, char** errptr) {
  IngestFiles(db, db->rep->DefaultColumnFamily(), file_list, list_len, opt, errptr);
}
void rocksdb_ingest_external_file_cf(rocksdb_t* db, rocksdb_column_family_handle_t* handle,
                                     const char* const* file_list, const size_t list_len,
                                     const rocksdb_ingestexternalfileoptions_t* opt,
                                     char** errptr) {
  IngestFiles(db, handle->rep, file_list, list_len, opt, errptr);
}

}  // extern "C"
