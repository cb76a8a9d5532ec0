// The features that reach the disk, by name: what each sets in an engine's options, and what it
// asks of the one who writes.
#pragma once

#include <string>
#include <vector>

#include "../workload.h"
#include "engine.h"

namespace interop {

// The options of one database, made by one engine. Not movable.
struct Setup {
  explicit Setup(const Engine& the_engine);
  ~Setup();
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;

  const Engine& engine;
  rocksdb_options_t* const options;
  rocksdb_block_based_table_options_t* const table;
  rocksdb_comparator_t* comparator = nullptr;
  Shape shape;
  // The engine's own defaults: no small buffers and files, no table options.
  bool defaults = false;
  // Every second key is in a family of its own, and one family comes and goes.
  bool families = false;
  bool atomic_flush = false;
  // Some batches come as files from outside.
  bool ingest = false;
  // Some values are entities of several columns.
  bool entities = false;
  // There is a prefix extractor of so many bytes; 0: none.
  size_t prefix = 0;
  // The order of keys is the reverse one.
  bool reverse = false;
  // Keys have timestamps: those of a phase are larger than those of the phases before, which may be
  // read.
  bool stamped = false;
  // Tables keep the timestamps.
  bool history = true;
  // The mark below which nobody reads rises: to the end of the phase before.
  bool trims = true;
  // The log is flushed by the writer.
  bool flush_wal = false;
  // `table` is what makes the tables.
  bool own_table = true;
};

struct Feature {
  const char* name;   // in command lines
  const char* title;  // in tables
  void (*apply)(Setup*);
  // What Cairn does with it.
  enum class Support {
    kFull,
    kReads,
    kRefuses,
    // RocksDB writes it, and cannot read it itself.
    kSalvages
  } support = Support::kFull;
  // What the status of a refusal says.
  const char* refusal = "-";
  // Whether a release of RocksDB has it; null: all do.
  bool (*has)(const Engine&) = nullptr;
};

const std::vector<Feature>& Features();
// Null: there is none.
const Feature* FindFeature(const std::string& name);

}  // namespace interop
