#include "compaction/level_output.h"

#include <utility>

#include "compaction/file_times.h"
#include "fiber/thread.h"

namespace cairn {

// Makes one finished table durable on a thread of its own while the next one is being written: the
// sync is most of what a compaction waits for. At most one at a time.
class LevelOutput::TableCloser {
 public:
  // Adds to *outputs, and with `timed` what a thread waits for the file system to *counts.
  TableCloser(std::vector<FileMetaData>* outputs, bool timed, CompactionJobStats* counts)
      : outputs_(outputs), timed_(timed), counts_(counts) {}
  ~TableCloser() { Wait().PermitUncheckedError(); }
  TableCloser(const TableCloser&) = delete;
  TableCloser& operator=(const TableCloser&) = delete;

  // SUSPENDS until the table before is durable.
  [[nodiscard]] Status Close(std::unique_ptr<TableWriter> writer) {
    Status s = Take(std::move(writer));
    if (!s.ok()) return s;
    const auto finish = [this] {
      const FileTimes times(timed_, &of_thread_);
      status_ = writer_->MakeDurable(&meta_);
    };
    // Without a thread it is done here, where the caller's times are taken.
    if (fiber::Thread::create("rocksdb:sync", finish, /*nice=*/0, &thread_) != 0) {
      status_ = writer_->MakeDurable(&meta_);
    }
    return Status::OK();
  }
  // The same where nothing is left to do meanwhile.
  [[nodiscard]] Status CloseLast(std::unique_ptr<TableWriter> writer) {
    Status s = Take(std::move(writer));
    if (!s.ok()) return s;
    status_ = writer_->MakeDurable(&meta_);
    return Wait();
  }
  // Adds the table that is being closed, if there is one, to the outputs. SUSPENDS.
  [[nodiscard]] Status Wait() {
    if (writer_ == nullptr) return Status::OK();
    if (thread_.joinable()) thread_.join();
    writer_.reset();
    counts_->Add(std::exchange(of_thread_, CompactionJobStats()));
    if (status_.ok()) outputs_->push_back(std::move(meta_));
    return std::exchange(status_, Status::OK());
  }

 private:
  Status Take(std::unique_ptr<TableWriter> writer) {
    Status s = writer->FinishTable();
    const Status before = Wait();
    if (s.ok()) s = before;
    if (s.ok()) writer_ = std::move(writer);
    return s;
  }

  std::vector<FileMetaData>* const outputs_;
  const bool timed_;
  CompactionJobStats* const counts_;
  // The thread's while it runs.
  CompactionJobStats of_thread_;
  std::unique_ptr<TableWriter> writer_;
  FileMetaData meta_;
  Status status_;
  fiber::Thread thread_;
};

LevelOutput::LevelOutput(const JobEnv& env, const Compaction* compaction,
                         const TableWriterOptions& options, TombstoneWriter* tombstones, bool timed,
                         CompactionJobStats* counts, std::function<void()> on_cut)
    : env_(env),
      compaction_(compaction),
      options_(options),
      tombstones_(tombstones),
      on_cut_(std::move(on_cut)),
      cutter_(compaction),
      closer_(std::make_unique<TableCloser>(&outputs_, timed, counts)) {}

LevelOutput::~LevelOutput() = default;

Status LevelOutput::OpenNext() {
  writer_ = std::make_unique<TableWriter>(env_, compaction_->options(), options_);
  return writer_->Open(env_.new_file_number());
}

Status LevelOutput::Add(const CompactionIterator& kept, JobBlobs* blobs) {
  const bool cut = cutter_.ShouldStopBefore(kept.key(), !std::exchange(has_user_key_, true),
                                            writer_ == nullptr ? 0 : writer_->EstimatedFileSize());
  Status s;
  if (writer_ != nullptr && cut) {
    const Slice next = kept.parsed().user_key;
    tombstones_->WriteUpTo(&next, writer_.get());
    on_cut_();
    s = closer_->Close(std::exchange(writer_, nullptr));
  }
  if (s.ok() && writer_ == nullptr) s = OpenNext();
  if (s.ok()) s = blobs->AddEntry(kept, writer_.get());
  if (s.ok()) ++records_;
  return s;
}

Status LevelOutput::WriteRest() {
  if (!tombstones_->HasMore()) return Status::OK();
  Status s = writer_ == nullptr ? OpenNext() : Status::OK();
  if (s.ok()) tombstones_->WriteUpTo(nullptr, writer_.get());
  return s;
}

Status LevelOutput::Close() {
  return writer_ == nullptr ? Status::OK() : closer_->CloseLast(std::exchange(writer_, nullptr));
}

Status LevelOutput::Wait() { return closer_->Wait(); }

}  // namespace cairn
