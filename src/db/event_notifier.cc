// What the user's EventListeners are told that does not happen in one place of its own: events that
// come up under the mutex wait in a queue, and are told without it.
#include <utility>

#include "db/background_work.h"
#include "db/database.h"
#include "db/event_notifier.h"
#include "fs/file_names.h"

namespace cairn {
namespace {

WriteStallCondition PublicCondition(StallCondition condition) {
  switch (condition) {
    case StallCondition::kDelayed:
      return WriteStallCondition::kDelayed;
    case StallCondition::kStopped:
      return WriteStallCondition::kStopped;
    case StallCondition::kNormal:
      break;
  }
  return WriteStallCondition::kNormal;
}

}  // namespace

void EventNotifier::QueueEvent(Database::Event event) {
  if (db_.has_listeners()) events_.push_back(std::move(event));
}

void EventNotifier::DeliverEvents() {
  if (delivering_events_ || events_.empty()) return;
  delivering_events_ = true;
  while (!events_.empty()) {
    const Database::Event event = std::move(events_.front());
    events_.pop_front();
    db_.mutex()->unlock();
    db_.Tell(event);
    db_.mutex()->lock();
    ++told_;
  }
  delivering_events_ = false;
  db_.jobs.changed.notify_all();
}

void EventNotifier::AwaitEvents() {
  DeliverEvents();
  const uint64_t all = told_ + events_.size() + (delivering_events_ ? 1 : 0);
  while (told_ < all) db_.jobs.changed.wait(db_.mutex());
}

void EventNotifier::QueueStallEvent(const ColumnFamily& family, StallCondition before) {
  if (!db_.has_listeners() || before == family.stall.condition) return;
  WriteStallInfo info;
  info.cf_name = family.name();
  info.condition.cur = PublicCondition(family.stall.condition);
  info.condition.prev = PublicCondition(before);
  QueueEvent([info = std::move(info)](EventListener* listener) {
    listener->OnStallConditionsChanged(info);
  });
}

void EventNotifier::QueueSealed(const ColumnFamily& family, const MemTable& sealed) {
  if (!db_.has_listeners()) return;
  MemTableInfo info;
  info.cf_name = family.name();
  info.first_seqno = sealed.GetFirstSequenceNumber();
  info.earliest_seqno = sealed.GetEarliestSequenceNumber();
  info.num_entries = sealed.num_entries();
  info.num_deletes = sealed.num_deletes();
  QueueEvent(
      [info = std::move(info)](EventListener* listener) { listener->OnMemTableSealed(info); });
}

FlushJobInfo EventNotifier::DescribeFlush(const ColumnFamily& family, uint64_t file_number,
                                          int job_id) const {
  FlushJobInfo info;
  info.cf_id = family.id();
  info.cf_name = family.name();
  info.file_path = TableFileName(family.paths, file_number, 0);
  info.file_number = file_number;
  info.job_id = job_id;
  const int level0 = db_.work->Level0Pressure(family);
  info.triggered_writes_slowdown = level0 >= family.options->level0_slowdown_writes_trigger;
  info.triggered_writes_stop = level0 >= family.options->level0_stop_writes_trigger;
  info.flush_reason = family.flush_reason;
  return info;
}

void EventNotifier::TellDeleted(const std::string& path, const Status& s) const {
  uint64_t number;
  FileType type;
  const std::string name = path.substr(path.rfind('/') + 1);
  if (!ParseFileName(name, &number, &type)) return;
  if (type == FileType::kBlobFile) {
    const BlobFileDeletionInfo info(db_.name, path, /*job_id=*/0, s);
    db_.Tell([&info](EventListener* listener) { listener->OnBlobFileDeleted(info); });
  }
  if (type != FileType::kTableFile) return;
  TableFileDeletionInfo info;
  info.db_name = db_.name;
  info.file_path = path;
  info.status = s;
  db_.Tell([&info](EventListener* listener) { listener->OnTableFileDeleted(info); });
}

}  // namespace cairn
