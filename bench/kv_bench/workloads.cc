#include "kv_bench/workloads.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "fiber/runtime.h"
#include "kv_bench/backup.h"

namespace kv_bench {
namespace {

using db_bench::KeyBuffer;
using db_bench::ValueGenerator;
using rocksdb::Slice;

// Times a client's calls and says when it is to end.
class Progress {
 public:
  explicit Progress(Client* client)
      : client_(client),
        meter_(&client->measured, &client->run->pauses, client->run->settings.begin),
        control_(client->run->settings.slowfs_control) {
    if (!control_.empty()) BeginCold();
  }

  // The next call was due at this time (Meter::Due).
  void Due(uint64_t at) { meter_.Due(at); }

  // A call that did `n` operations ended; false: the client is to end.
  bool Tick(uint64_t n) {
    const uint64_t now = meter_.Tick(n);
    if (!control_.empty()) {
      client_->round_trips.push_back(ReadRoundTrips(control_, &client_->error));
      BeginCold();
    }
    const uint64_t deadline = client_->run->settings.deadline;
    return client_->error.empty() && (deadline == 0 || now < deadline);
  }

 private:
  void BeginCold() {
    const Run& run = *client_->run;
    run.engine->rocksdb_cache_set_capacity(run.cache, 0);
    run.engine->rocksdb_cache_set_capacity(run.cache, run.settings.cache_size);
    ResetRoundTrips(control_, &client_->error);
  }

  Client* const client_;
  Meter meter_;
  const std::string& control_;
};

// Takes an engine's message over.
bool Failed(Client* client, char* error) {
  if (error == nullptr) return false;
  client->error = error;
  client->run->engine->rocksdb_free(error);
  return true;
}

ValueGenerator ValuesOf(Client* client) {
  ValueGenerator values = *client->run->values;
  values.Jump(client->numbers.Next());
  return values;
}

// A key's number, at random.
uint64_t Draw(Client* client, bool writes) {
  return client->run->keys->Next(writes, &client->numbers);
}

// Writes entries whose numbers `next` gives, batch_size at a time, until it says no or all are
// done.
template <typename Next>
void Write(Client* client, uint64_t operations, Next next) {
  Run& run = *client->run;
  const Engine& engine = *run.engine;
  const Settings& settings = run.settings;
  KeyBuffer key(settings.key_size);
  ValueGenerator values = ValuesOf(client);
  rocksdb_writebatch_t* batch = engine.rocksdb_writebatch_create();
  Progress progress(client);
  for (uint64_t done = 0; done < operations;) {
    char* error = nullptr;
    const uint64_t n = std::min(settings.batch_size, operations - done);
    if (n == 1) {
      const Slice k = key.Set(next());
      const Slice v = values.Next(settings.value_size);
      engine.rocksdb_put(run.db, run.writing, k.data(), k.size(), v.data(), v.size(), &error);
    } else {
      engine.rocksdb_writebatch_clear(batch);
      for (uint64_t i = 0; i < n; ++i) {
        const Slice k = key.Set(next());
        const Slice v = values.Next(settings.value_size);
        engine.rocksdb_writebatch_put(batch, k.data(), k.size(), v.data(), v.size());
      }
      engine.rocksdb_write(run.db, run.writing, batch, &error);
    }
    done += n;
    client->bytes += n * (settings.key_size + settings.value_size);
    client->written_bytes += n * (settings.key_size + settings.value_size);
    Failed(client, error);
    if (!progress.Tick(n)) break;
  }
  engine.rocksdb_writebatch_destroy(batch);
}

void FillSequentially(Client* client) {
  // Each client has a part of the key space.
  uint64_t number = static_cast<uint64_t>(client->id) * client->run->settings.operations;
  Write(client, client->run->settings.operations, [&number] { return number++; });
}

// Every key once, in no order.
void FillUniqueAtRandom(Client* client) {
  const Settings& settings = client->run->settings;
  const bench::Permutation order(settings.num);
  uint64_t number = static_cast<uint64_t>(client->id) * settings.operations;
  Write(client, settings.operations, [&] { return order.Of(number++ % settings.num); });
}

void WriteAtRandom(Client* client) {
  Write(client, client->run->settings.operations, [&] { return Draw(client, true); });
}

// Looks one key up and counts what it finds.
void Get(Client* client, const Slice& k) {
  const Engine& engine = *client->run->engine;
  char* error = nullptr;
  rocksdb_pinnableslice_t* value =
      engine.rocksdb_get_pinned(client->run->db, client->run->reading, k.data(), k.size(), &error);
  if (value != nullptr) {
    size_t size;
    engine.rocksdb_pinnableslice_value(value, &size);
    ++client->found;
    client->bytes += k.size() + size;
    engine.rocksdb_pinnableslice_destroy(value);
  }
  Failed(client, error);
}

void Put(Client* client, const Slice& k, const Slice& v) {
  const Run& run = *client->run;
  char* error = nullptr;
  run.engine->rocksdb_put(run.db, run.writing, k.data(), k.size(), v.data(), v.size(), &error);
  Failed(client, error);
  client->bytes += k.size() + v.size();
  client->written_bytes += k.size() + v.size();
}

void Read(Client* client, bool missing) {
  const Settings& settings = client->run->settings;
  KeyBuffer key(settings.key_size);
  Progress progress(client);
  for (uint64_t i = 0; i < settings.operations; ++i) {
    const uint64_t number = Draw(client, false);
    Get(client, missing ? key.SetMissing(number) : key.Set(number));
    if (!progress.Tick(1)) break;
  }
}
void ReadAtRandom(Client* client) { Read(client, false); }
void ReadMissing(Client* client) { Read(client, true); }

// When one client's operations are due, so that all clients together do so many per second, evenly.
class Schedule {
 public:
  explicit Schedule(const Client& client)
      : nanos_(client.run->settings.rate > 0 ? 1e9 / client.run->settings.rate : 0),
        begin_(client.run->settings.begin),
        next_(static_cast<uint64_t>(client.id)),
        step_(static_cast<uint64_t>(client.run->settings.clients)) {}

  // Waits until the next operation is due, and tells `progress`. Where operations are late, at
  // once: what had to wait for a slow one before it counts as slow, too.
  void Wait(Progress* progress) {
    if (nanos_ <= 0) return;
    const uint64_t due = begin_ + static_cast<uint64_t>(static_cast<double>(next_) * nanos_);
    next_ += step_;
    fiber::sleep_until(due);
    progress->Due(due);
  }

 private:
  const double nanos_;  // from one operation of any client to the next; 0: none waits
  const uint64_t begin_;
  uint64_t next_;  // of all clients' operations
  const uint64_t step_;
};

// Reads keys and overwrites others, each by chance, while `on`.
template <typename On>
void ReadAndWriteWhile(Client* client, On on) {
  const Run& run = *client->run;
  const Settings& settings = run.settings;
  KeyBuffer key(settings.key_size);
  ValueGenerator values = ValuesOf(client);
  Progress progress(client);
  Schedule schedule(*client);
  while (on()) {
    schedule.Wait(&progress);
    const bool writes = client->numbers.Fraction() >= settings.reads;
    const Slice k = key.Set(Draw(client, writes));
    if (writes) {
      Put(client, k, values.Next(settings.value_size));
    } else {
      Get(client, k);
    }
    if (!progress.Tick(1)) break;
  }
}

void ReadAndWrite(Client* client) {
  uint64_t left = client->run->settings.operations;
  ReadAndWriteWhile(client, [&left] { return left-- > 0; });
}

// The client after the last one that reads and writes makes a backup; the others end when it has.
void ReadAndWriteWhileBackup(Client* client) {
  Run& run = *client->run;
  if (client->id < run.settings.clients) {
    ReadAndWriteWhile(client, [&run] { return !run.backup_ended.load(std::memory_order_relaxed); });
    return;
  }
  client->in_background = true;
  client->backup_seconds =
      MakeBackup(*run.engine, run.options, run.db, run.settings.backup_dir, &client->error);
  run.backup_ended.store(true, std::memory_order_relaxed);
}

// Reads a key and writes it again; both are one operation.
void UpdateAtRandom(Client* client) {
  const Run& run = *client->run;
  const Settings& settings = run.settings;
  KeyBuffer key(settings.key_size);
  ValueGenerator values = ValuesOf(client);
  Progress progress(client);
  for (uint64_t i = 0; i < settings.operations; ++i) {
    const Slice k = key.Set(Draw(client, true));
    Get(client, k);
    Put(client, k, values.Next(settings.value_size));
    if (!progress.Tick(1)) break;
  }
}

void MultiGet(Client* client) {
  Run& run = *client->run;
  const Engine& engine = *run.engine;
  const uint64_t n = run.settings.batch_size;
  const uint64_t num = run.settings.num;
  const uint64_t stride = run.settings.multiread_stride;
  std::vector<KeyBuffer> keys(n, KeyBuffer(run.settings.key_size));
  std::vector<const char*> data(n);
  std::vector<size_t> sizes(n);
  std::vector<size_t> value_sizes(n);
  std::vector<char*> values(n);
  std::vector<char*> errors(n);
  Progress progress(client);
  for (uint64_t done = 0; done < run.settings.operations; done += n) {
    uint64_t number = Draw(client, false);
    for (uint64_t i = 0; i < n; ++i) {
      const Slice k = keys[i].Set(number);
      number = stride != 0 ? (number + stride) % num : Draw(client, false);
      data[i] = k.data();
      sizes[i] = k.size();
    }
    engine.rocksdb_multi_get(run.db, run.reading, n, data.data(), sizes.data(), values.data(),
                             value_sizes.data(), errors.data());
    for (uint64_t i = 0; i < n; ++i) {
      if (values[i] != nullptr) {
        ++client->found;
        client->bytes += sizes[i] + value_sizes[i];
        engine.rocksdb_free(values[i]);
      }
      Failed(client, errors[i]);
    }
    if (!progress.Tick(n)) break;
  }
}

// Adds what the iterator stands on; false at the end.
bool Take(Client* client, const Engine& engine, rocksdb_iterator_t* it) {
  if (!engine.rocksdb_iter_valid(it)) return false;
  size_t key_size;
  size_t value_size;
  engine.rocksdb_iter_key(it, &key_size);
  engine.rocksdb_iter_value(it, &value_size);
  client->bytes += key_size + value_size;
  return true;
}

void EndIterator(Client* client, const Engine& engine, rocksdb_iterator_t* it) {
  char* error = nullptr;
  engine.rocksdb_iter_get_error(it, &error);
  Failed(client, error);
  engine.rocksdb_iter_destroy(it);
}

// Each operation has an iterator of its own, with which `scan` does it.
template <typename Scan>
void ScanEach(Client* client, Scan scan) {
  Run& run = *client->run;
  const Engine& engine = *run.engine;
  Progress progress(client);
  for (uint64_t i = 0; i < run.settings.operations; ++i) {
    rocksdb_iterator_t* it = engine.rocksdb_create_iterator(run.db, run.reading);
    scan(engine, it);
    EndIterator(client, engine, it);
    if (!progress.Tick(1)) break;
  }
}

void SeekAtRandom(Client* client) {
  const Settings& settings = client->run->settings;
  KeyBuffer key(settings.key_size);
  ScanEach(client, [&](const Engine& engine, rocksdb_iterator_t* it) {
    const Slice k = key.Set(Draw(client, false));
    engine.rocksdb_iter_seek(it, k.data(), k.size());
    bool there = Take(client, engine, it);
    client->found += there;
    for (uint64_t n = 1; there && n < settings.seek_nexts; ++n) {
      engine.rocksdb_iter_next(it);
      there = Take(client, engine, it);
    }
  });
}

// Reads all entries, from the first or the last; again and again if there is a deadline.
void Walk(Client* client, bool forward) {
  constexpr uint64_t kStep = 1000;  // entries timed as one
  Run& run = *client->run;
  const Engine& engine = *run.engine;
  rocksdb_iterator_t* it = engine.rocksdb_create_iterator(run.db, run.reading);
  const auto start = forward ? engine.rocksdb_iter_seek_to_first : engine.rocksdb_iter_seek_to_last;
  const auto step = forward ? engine.rocksdb_iter_next : engine.rocksdb_iter_prev;
  Progress progress(client);
  uint64_t in_step = 0;
  bool on = true;
  do {
    start(it);
    if (!engine.rocksdb_iter_valid(it)) break;  // nothing there, or an error
    while (on && Take(client, engine, it)) {
      ++client->found;
      if (++in_step == kStep) {
        in_step = 0;
        on = progress.Tick(kStep);
      }
      step(it);
    }
  } while (on && run.settings.deadline != 0);
  client->measured.operations += in_step;
  EndIterator(client, engine, it);
}
void ReadSequentially(Client* client) { Walk(client, true); }
void ReadReverse(Client* client) { Walk(client, false); }

// Reads all entries with a prefix. An operation is a prefix.
void ScanPrefixes(Client* client) {
  const Settings& settings = client->run->settings;
  KeyBuffer key(settings.key_size);
  ScanEach(client, [&](const Engine& engine, rocksdb_iterator_t* it) {
    const Slice k = key.Set(Draw(client, false));
    const size_t size =
        settings.prefix_size == 0 ? k.size() : std::min(k.size(), settings.prefix_size);
    engine.rocksdb_iter_seek(it, k.data(), size);
    for (; Take(client, engine, it); engine.rocksdb_iter_next(it)) ++client->found;
  });
}

// The first entries of the database, past whatever was deleted before them.
void ReadFirst(Client* client) {
  ScanEach(client, [&](const Engine& engine, rocksdb_iterator_t* it) {
    engine.rocksdb_iter_seek_to_first(it);
    client->found += Take(client, engine, it);
  });
}

// Deletes the first keys, one after the other, each with a tombstone of its own.
void DeleteFirst(Client* client, bool ranges) {
  Run& run = *client->run;
  const Engine& engine = *run.engine;
  KeyBuffer key(run.settings.key_size);
  KeyBuffer end(run.settings.key_size);
  rocksdb_writebatch_t* batch = engine.rocksdb_writebatch_create();
  Progress progress(client);
  uint64_t number = static_cast<uint64_t>(client->id) * run.settings.operations;
  for (uint64_t i = 0; i < run.settings.operations; ++i, ++number) {
    const Slice k = key.Set(number);
    engine.rocksdb_writebatch_clear(batch);
    if (ranges) {
      const Slice e = end.Set(number + 1);
      engine.rocksdb_writebatch_delete_range(batch, k.data(), k.size(), e.data(), e.size());
    } else {
      engine.rocksdb_writebatch_delete(batch, k.data(), k.size());
    }
    char* error = nullptr;
    engine.rocksdb_write(run.db, run.writing, batch, &error);
    client->bytes += k.size();
    client->written_bytes += k.size();
    Failed(client, error);
    if (!progress.Tick(1)) break;
  }
  engine.rocksdb_writebatch_destroy(batch);
}
void DeleteSequentially(Client* client) { DeleteFirst(client, false); }
void DeleteRangesSequentially(Client* client) { DeleteFirst(client, true); }

void ReadWhileWriting(Client* client) {
  Run& run = *client->run;
  if (client->id != 0) {
    Read(client, false);
    run.readers.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  // The writer goes on until the last reader is done.
  client->in_background = true;
  while (client->error.empty() && run.readers.load(std::memory_order_relaxed) > 0) {
    Write(client, 256, [&] { return Draw(client, true); });
  }
}

struct Entry {
  const char* name;
  Workload workload;
  bool empty;
  bool reads_only;
};
constexpr Entry kWorkloads[] = {
    {"fillseq", FillSequentially, true, false},
    {"fillrandom", WriteAtRandom, true, false},
    {"filluniquerandom", FillUniqueAtRandom, true, false},
    {"overwrite", WriteAtRandom, false, false},
    {"updaterandom", UpdateAtRandom, false, false},
    {"readrandom", ReadAtRandom, false, true},
    {"readmissing", ReadMissing, false, true},
    {"multiget", MultiGet, false, true},
    {"seekrandom", SeekAtRandom, false, true},
    {"readseq", ReadSequentially, false, true},
    {"readreverse", ReadReverse, false, true},
    {"readfirst", ReadFirst, false, true},
    {"prefixscan", ScanPrefixes, false, true},
    {"deleteseq", DeleteSequentially, false, false},
    {"deleterangeseq", DeleteRangesSequentially, false, false},
    {"readwhilewriting", ReadWhileWriting, false, false},
    {"readwrite", ReadAndWrite, false, false},
    {"readwritewhilebackup", ReadAndWriteWhileBackup, false, false},
};

const Entry* Find(const std::string& name) {
  for (const Entry& entry : kWorkloads) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

}  // namespace

Workload FindWorkload(const std::string& name) {
  const Entry* const entry = Find(name);
  return entry == nullptr ? nullptr : entry->workload;
}

bool WantsEmptyDatabase(const std::string& name) { return Find(name)->empty; }
bool ReadsOnly(const std::string& name) { return Find(name)->reads_only; }

const char* WorkloadNames() {
  return "fillseq, fillrandom, filluniquerandom, overwrite, updaterandom, readrandom, readmissing, "
         "multiget, seekrandom, readseq, readreverse, readfirst, prefixscan, deleteseq, "
         "deleterangeseq, readwhilewriting, readwrite, readwritewhilebackup, backup, warm, flush, "
         "compact, settle, stats";
}

}  // namespace kv_bench
