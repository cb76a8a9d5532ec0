"""The bugs that sim/mutants.py plants, one at a time. Each: a name, what it breaks, and changes: a file, the old text (once
in that file) and the new one. sim.mutants_apply (ctest) keeps the old texts true; change them with the code."""

MUTANTS = []


def mutant(name, what, file, old, new, seeds=0, also=(), flags=()):
    """`seeds`: where it takes more than mutants.py plays by itself. `also`: what else takes care of it, changed too: more of
    (file, old text, new text). `flags`: of cairn-sim, for worlds of another kind."""
    changes = [(file, old.strip('\n'), new.strip('\n')) for file, old, new in [(file, old, new), *also]]
    MUTANTS.append({'name': name, 'what': what, 'changes': changes, 'seeds': seeds, 'flags': list(flags)})


def transactions(name, what, file, old, new, seeds=600, also=()):
    """One that worlds of transactions find."""
    mutant(name, what, file, old, new, seeds, also, flags=['--transactions'])


# ---- The write-ahead log

mutant('wal-sync-nothing', 'a synced write writes the log and syncs nothing', 'src/wal/wal_set.cc',
       '  IOStatus s = current_->Sync(options_->use_fsync);',
       '  IOStatus s = current_->WriteBuffer();')
mutant('wal-directory-not-synced', "the directory is not synced with a new log's first sync", 'src/wal/wal_set.cc',
       'if (s.ok() && current_->log_number() > named_.load()) s = SyncDirectory();\n', '')
mutant('wal-older-not-synced', 'a sync leaves out older logs', 'src/wal/wal_set.cc',
       '    if (old->synced.load(std::memory_order_acquire)) continue;', '    if (old->synced || !options_->use_fsync) continue;')
mutant('wal-half-synced', 'a log of which a part was synced counts as synced when the next one begins',
       'src/wal/wal_set.cc', 'old->synced.store(synced_bytes_ == size, std::memory_order_release);',
       'old->synced = synced_bytes_ > 0;')
mutant('purge-gives-log-up', 'a memtable that was made of others, in place of a table, does not keep their logs', 'src/db/flushes.cc',
       'purged->SetFirstLogNumber(memtables.front()->GetFirstLogNumber());',
       'purged->SetFirstLogNumber(memtables.back()->GetNextLogNumber());')
mutant('predecessor-synced-size', 'a log says that the one before it has as many bytes as were synced (track_and_verify_wals)',
       'src/wal/wal_set.cc', 'said = {current_->log_number(), size, last_record_};',
       'said = {current_->log_number(), synced_bytes_, last_record_};')
mutant('sync-wal-only-flushes', 'SyncWAL() writes what is buffered and syncs nothing', 'src/db/write_path.cc',
       'io = sync ? SyncWal() : db_.wals->Flush();', 'io = db_.wals->Flush();')
mutant('sync-without-flush', "a sync leaves out what is in the writer's buffer", 'src/fs/file_writer.cc', '''
  IOStatus s = Flush();
  if (!s.ok() || !pending_sync_) return s;
''', '''
  IOStatus s;
  if (!pending_sync_) return s;
''')
mutant('append-error-ignored', 'an append that fails is taken for done', 'src/fs/file_writer.cc', '''
  IOStatus s = CountWrite(n, [&] { return AppendTo(file_.get(), Slice(data, n), sum); });
  if (!s.ok()) return Fail(s);
''', '''
  IOStatus s = CountWrite(n, [&] { return AppendTo(file_.get(), Slice(data, n), sum); });
  if (!s.ok()) s = IOStatus::OK();
''')
mutant('handoff-sum-kept', 'the checksum handed over with a write goes on from that of the write before', 'src/fs/file_writer.cc', '''
  sum_ = 0;
  summed_ = 0;
  return sum;
''', '''
  summed_ = 0;
  return sum;
''')
mutant('wal-append-error-ignored', 'the log cannot be written and the writes are acknowledged',
       'src/commit/commit_queue.cc', '''
        Fail(s, CommitErrorKind::kWalWrite);
        return s;
''', '''
        s.PermitUncheckedError();
''')
mutant('wal-sync-error-ignored', 'the log cannot be synced and the writes are acknowledged',
       'src/commit/commit_queue.cc', '''
      Fail(s, CommitErrorKind::kWalSync);
      return s;
''', '''
      s.PermitUncheckedError();
''')
mutant('followers-not-logged', "only the leader's batch reaches the log, its followers' do not",
       'src/commit/commit_queue.cc',
       'if (group.writers == 1 && group.leader->batch->GetWalTerminationPoint().is_cleared()) {',
       'if (group.leader->batch->GetWalTerminationPoint().is_cleared()) {')
mutant('wal-deleted-early', 'logs are deleted while a memtable still needs them', 'src/db/file_purger.cc',
       'db_.wals->TakeObsolete(db_.versions->SaidMinLogNumberToKeep())', 'db_.wals->TakeObsolete(db_.wals->current_number())')
mutant('wal-tracked-before-its-sync', 'the MANIFEST calls a closed log synced that is not', 'src/wal/wal_set.cc',
       '    if (old->synced.load(std::memory_order_acquire)) synced.push_back({number, old->bytes});',
       '    synced.push_back({number, old->bytes});', seeds=1500)
mutant('wal-tracked-longer', 'the MANIFEST has a byte more of a closed log than was synced', 'src/db/memtable_switch.cc',
       'additions.push_back({wal.number, wal.bytes});', 'additions.push_back({wal.number, wal.bytes + 1});')
mutant('wal-tracked-for-good', 'the MANIFEST does not tell that a log that it tracks was given up',
       'src/manifest/version_set_write.cc', '!keep || *keep <= tracked_wals_.kept_from()) {',
       '!keep || *keep > tracked_wals_.kept_from()) {')

# ---- User-defined timestamps


def timestamps(name, what, file, old, new, seeds=0, also=()):
    """One that worlds of timestamps find."""
    mutant(name, what, file, old, new, seeds, also, flags=['--timestamps'])


mutant('memory-timestamps-mark-of-one-memtable', 'a flush of several memtables raises the mark above the first one alone',
       'src/compaction/flush_job.cc', 'if (newest.empty() || comparator.CompareTimestamp(newest, of_table) < 0) newest = of_table;',
       'if (newest.empty()) newest = of_table;', flags=['--memory_timestamps'])
mutant('memory-timestamps-mark-not-raised', 'a flush whose table does not keep timestamps leaves the mark where it was',
       'src/compaction/flush_job.cc', '  history_low_ = TimestampAfter(newest);\n', '', flags=['--memory_timestamps'])
timestamps('timestamp-below-mark-served', 'a reader below the mark (full_history_ts_low) is served',
           'src/read/read_timestamp.h', 'icmp.user_comparator()->CompareTimestamp(timestamp, low) >= 0',
           'icmp.user_comparator()->CompareTimestamp(timestamp, low) >= -1')
timestamps('timestamp-newest-below-mark-dropped', 'a compaction drops the newest version below the mark where there is one above it',
           'src/compaction/compaction_iterator.cc', 'return !same_bare_key || !is_history_ || !was_history;',
           'return !same_bare_key || !is_history_ || (was_history && false);')
timestamps('timestamp-history-above-mark-dropped', 'a compaction keeps of each key the newest version alone, whatever the mark is',
           'src/compaction/compaction_iterator.cc', 'return !same_bare_key || !is_history_ || !was_history;',
           'return !same_bare_key || (was_history && false);')
timestamps('timestamp-range-above-mark-hides', 'what a range tombstone of any timestamp hides is dropped',
           'src/compaction/compaction_iterator.cc', 'return MayForget() && fragment_ < fragments.size() &&',
           'return fragment_ < fragments.size() &&', also=[
               ('src/compaction/compaction_iterator.cc', 'interval, history_low_, /*before=*/true) >',
                'interval, MaxU64Ts(), /*before=*/false) >')])
timestamps('timestamp-mark-not-recorded', 'the mark does not get into the MANIFEST', 'src/manifest/version_edit.cc',
           '  if (full_history_ts_low_) PutTaggedString(dst, kTagFullHistoryTsLow, *full_history_ts_low_);\n', '')
timestamps('timestamp-mark-not-in-new-manifest', 'the mark is lost with the next MANIFEST', 'src/manifest/version_set_write.cc',
           '    if (!cf->history_low().empty()) identity.SetFullHistoryTsLow(cf->history_low());\n', '')
timestamps('timestamp-mark-goes-back', 'of two marks in the MANIFEST the last one counts, not the largest',
           'src/manifest/manifest_update.cc', '  if (family->history_low.empty() ||\n', '  if (true ||\n')
timestamps('timestamp-sizes-not-logged', "a log does not say how large its records' timestamps are", 'src/wal/wal_set.cc',
           '    if (s.ok()) s = current_->AddTimestampSizes(timestamp_sizes_);\n', '')
timestamps('timestamp-sizes-not-in-next-log', 'only the first log says how large the timestamps are', 'src/wal/wal_set.cc',
           '  timestamp_sizes_said_ = 0;\n', '')
timestamps('timestamp-of-operand-forgotten', "a merged value has its base's timestamp where the base had to be read",
           'src/read/multi_lookup.cc', '      NoteTimestamp(i, context);  // of an operand\n', '')
timestamps('repair-tombstones-without-timestamps', 'of tables that become one the range tombstones lose their timestamps',
           'src/repair/repair_tables.cc', 'fragment.timestamps.empty() ? Slice() : fragment.timestamps[i]);',
           'Slice());', seeds=600)
timestamps('repair-loses-the-mark', 'a repair forgets the mark that the MANIFEST says', 'src/repair/repair.cc',
           '      identity.SetFullHistoryTsLow(low);\n', '')

# ---- The commit queue

mutant('published-before-insertion', 'a sequence number is published before its entries are in the memtable',
       'src/commit/commit_queue.cc', '''
    const uint64_t start = measure ? fiber::now_nanos() : 0;
    Insert(group);
    if (measure) MeasureInsertion(*group, fiber::now_nanos() - start);
  }
  fiber::interleave();
  if (group->count > 0) env_->Publish(group->first + group->count - 1);
''', '''
    if (group->count > 0) env_->Publish(group->first + group->count - 1);
    fiber::interleave();
    Insert(group);
  }
  static_cast<void>(measure);
''')
mutant('published-one-short', 'the last entry of a group is not published', 'src/commit/commit_queue.cc',
       'env_->Publish(group->first + group->count - 1);', 'env_->Publish(group->first + group->count - 2);')
mutant('published-one-more', "one sequence number too many is published, so the log's numbers have gaps",
       'src/commit/commit_queue.cc',
       'env_->Publish(group->first + group->count - 1);', 'env_->Publish(group->first + group->count);')
mutant('sequence-used-twice', 'a group begins with the sequence number that the last one ended with',
       'src/commit/commit_queue.cc', 'std::max(env_->LastSequence(), last_assigned_) + 1;',
       'std::max<SequenceNumber>(std::max(env_->LastSequence(), last_assigned_), 1);')
mutant('logged-not-counted', 'a group takes the sequence numbers of one that is logged but not yet published',
       'src/commit/commit_queue.cc', 'std::max(env_->LastSequence(), last_assigned_) + 1;',
       'env_->LastSequence() + 1;')
mutant('insertion-not-awaited', 'a group inserts and is published beside the one before', 'src/commit/commit_queue.cc',
       'write_thread_wait_nanos, kEnableWait);\n    AwaitInsertion();\n', 'write_thread_wait_nanos, kEnableWait);\n')
mutant('lead-given-before-the-turn', 'a leader hands over while the group before still inserts, and waits after that',
       'src/commit/commit_queue.cc', '''
  if (early) {
    under_way_.store(kUnderWay, std::memory_order_relaxed);
    // From here on another leader may be at work.
    Leave(group->last);
  }
''', '''
  if (early) under_way_.store(kUnderWay, std::memory_order_relaxed);
''', also=[('src/commit/commit_queue.cc', '''
  {
    const PerfTimer timer(perf, &PerfContext::write_thread_wait_nanos, kEnableWait);
    AwaitInsertion();
''', '''
  if (early) Leave(group->last);
  {
    const PerfTimer timer(perf, &PerfContext::write_thread_wait_nanos, kEnableWait);
    AwaitInsertion();
''')])
mutant('turn-not-called', 'the leader that sleeps until the group before has inserted is not woken',
       'src/commit/commit_queue.cc', '''
  if (under_way_.exchange(kNoneUnderWay, std::memory_order_acq_rel) == kAwaited)
    fiber::wake(&under_way_, 1);
''', '''
  under_way_.store(kNoneUnderWay, std::memory_order_release);
''')
mutant('turn-called-too-early', 'the insertion ends between the look of the leader that waits for it and its sleep',
       'src/commit/commit_queue.cc', '''
  if (!under_way_.compare_exchange_strong(state, kAwaited, std::memory_order_acquire,
                                          std::memory_order_acquire)) {
    return;
  }
''', '''
  under_way_.store(kAwaited, std::memory_order_release);
''')
mutant('lost-wake-up', 'a follower that is about to sleep when it is signalled sleeps for ever',
       'src/commit/commit_queue.cc', '''
  if (!w->state.compare_exchange_strong(state, kParked, std::memory_order_acquire,
                                        std::memory_order_acquire)) {
    return state;
  }
''', '''
  w->state.store(kParked, std::memory_order_release);
''')
mutant('switch-without-drain', 'the memtable is switched while a group before still inserts into it',
       'src/db/write_path.cc', '''
  group.queue->Drain();
''', '')
mutant('parallel-insertion-not-awaited', 'a group is published while a follower still inserts its batch',
       'src/commit/commit_queue.cc',
       'if (group->inserting.fetch_sub(1, std::memory_order_acq_rel) != 1) Await(group->executor);',
       'group->inserting.fetch_add(SIZE_MAX / 2, std::memory_order_acq_rel);')

# ---- Memtables and flushes

mutant('memtable-ignores-snapshot', 'a Get finds the newest entry of the memtable, whatever its snapshot',
       'src/memtable/memtable.cc', '''
    node = list_.FindGreaterOrEqual(key.internal_key());
  } else if''', '''
    node =
        list_.FindGreaterOrEqual(LookupKey(key.user_key(), kMaxSequenceNumber).internal_key());
  } else if''')
mutant('skiplist-trusts-its-hint', 'an insertion begins at the last one, be that before or after it',
       'src/memtable/skiplist.cc', '  if (prev != head_ && !order.IsBefore(prev)) return false;\n', '')
mutant('memtable-gone-before-its-table', 'a memtable is dropped before the table that replaces it is installed',
       'src/db/flushes.cc', '''
    s = db_.versions->LogAndApply(std::span(&change, 1), db_.mutex(), db_.directory.get(), false,
                                  [&] { family->imm.Remove(memtables); });
''', '''
    family->imm.Remove(memtables);
    s = db_.versions->LogAndApply(std::span(&change, 1), db_.mutex(), db_.directory.get(), false);
''')
mutant('flush-forgets-newer-logs', 'the edit of a flush says that all logs before the present one are obsolete',
       'src/db/flushes.cc', '''
  edit->SetLogNumber(memtables.back()->GetNextLogNumber());
''', '''
  edit->SetLogNumber(std::max(memtables.back()->GetNextLogNumber(), db_.wals->current_number()));
''')
mutant('flush-answers-early', 'Flush() returns when the memtables before its own are flushed',
       'src/db/flushes.cc', 'imm.current()->memtables().back()->GetID() <= last_id) {',
       'imm.current()->memtables().back()->GetID() < last_id) {')
mutant('failed-flush-forgotten', 'after a flush that failed its memtables are never flushed',
       'src/db/flushes.cc', '    family->imm.RollbackFlush(memtables);\n', '')
# (Not here: the wake-up at the end of a flush. Whoever misses it is woken by the next switch of memtables or job.)
mutant('close-does-not-flush', 'Close() forgets writes that are in no log', 'src/db/opening.cc',
       '    result = FlushUnlogged();\n', '')
mutant('table-not-synced', 'a table is part of the database before it is synced', 'src/compaction/table_writer.cc',
       '    s = file_->Sync(env_.db_options->use_fsync);', '    s = file_->Flush();')
mutant('flush-directory-not-synced', "the directory is not synced after a flush's table", 'src/compaction/flush_job.cc',
       '  return s.ok() ? SyncDirectory(env_.directories.front()) : s;', '  return s;')
mutant('compaction-directory-not-synced', "the directory is not synced after a compaction's tables",
       'src/compaction/compaction_job.cc',
       '  if (s.ok()) s = SyncOutputs(parts);\n', '')

# ---- The MANIFEST

mutant('manifest-not-synced', 'an edit is installed before it is synced', 'src/manifest/version_set_write.cc',
       '    s = manifest_->Sync(options_->use_fsync);', '    s = manifest_->WriteBuffer();')
mutant('current-before-manifest', 'CURRENT names a new MANIFEST before that is synced',
       'src/manifest/version_set_write.cc', '''
  if (s.ok()) {
    const StopWatch watch(options_->statistics.get(), MANIFEST_FILE_SYNC_MICROS);
    s = manifest_->Sync(options_->use_fsync);
  }
  if (s.ok() && write->new_number != 0) {
    write->current_touched = true;
    s = SetCurrentFile(fs_, dbname_, write->new_number, db_directory);
  }
''', '''
  if (s.ok() && write->new_number != 0) {
    write->current_touched = true;
    s = SetCurrentFile(fs_, dbname_, write->new_number, db_directory);
  }
  if (s.ok()) s = manifest_->Sync(options_->use_fsync);
''')
mutant('manifest-snapshot-short', 'a new MANIFEST lacks the files of the last level',
       'src/manifest/version_set_write.cc',
       'for (int level = 0; level < version->num_levels(); ++level) {',
       'for (int level = 0; level < version->num_levels() - 1; ++level) {')
mutant('manifest-queue-not-woken', 'who waits to write the MANIFEST is not woken', 'src/manifest/version_set_write.cc',
       '''
  writers_.pop_front();
  if (!writers_.empty()) writers_.front()->turn.notify_all();
''', '''
  writers_.pop_front();
''')
mutant('manifest-queue-not-awaited', 'two edits are applied to the same version', 'src/manifest/version_set_write.cc', '''
  while (writers_.front() != self) self->turn.wait(mutex);
''', '''
''')
mutant('tables-leak', 'obsolete tables are never deleted', 'src/db/file_purger.cc',
       '    out->paths.push_back(TableFileName(table.directory, table.number));\n', '')
mutant('moved-table-deleted', 'a table that moved to another level is deleted with the version before',
       'src/manifest/version_set.cc', '  if (--it->second > 0) return;\n  held_files_.erase(it);', '''
  if (--it->second > 0) {
    obsolete_tables_.push_back({file.number, file.path_id, file.file_size});
    return;
  }
  held_files_.erase(it);
''')
mutant('aborted-outputs-leak', 'the outputs of a compaction that was cut short stay', 'src/compaction/subcompaction.cc', '''
      env_.fs
          ->DeleteFile(TableFileName(env_.paths, output.number, output.path_id), IOOptions(),
                       nullptr)
          .PermitUncheckedError();
''', '')
mutant('inputs-deleted-early', 'the inputs of a compaction are deleted before its edit is durable',
       'src/db/compactions.cc', '''
    CompactionJob job(env, compaction.get());
    db_.mutex()->unlock();
    s = job.Run();
''', '''
    CompactionJob job(env, compaction.get());
    db_.mutex()->unlock();
    s = job.Run();
    FilePurger::ObsoleteFiles early;
    for (const CompactionInputFiles& input : compaction->inputs()) {
      for (const FileMetaData* f : input.files) {
        std::string number = std::to_string(f->number);
        early.paths.push_back(db_.name + "/" + std::string(6 - number.size(), '0') + number + ".sst");
      }
    }
    if (s.ok()) db_.files->DeleteFiles(early);
''')

# ---- Recovery

mutant('recovery-skips-last-log', 'the last of several logs is not replayed', 'src/db/recovery.cc', '''
  for (const uint64_t number : found.needed) {
    s = ReplayWal(number, replay);
''', '''
  for (const uint64_t number : found.needed) {
    if (found.needed.size() > 1 && number == found.needed.back()) break;
    s = ReplayWal(number, replay);
''')
mutant('log-end-taken-for-torn', "a record that ends where the log ends is taken for torn", 'src/wal/log_reader.cc', '''
    if (header + length > size) {
      *drop = size;
''', '''
    if (header + length >= size) {
      *drop = size;
''')
mutant('last-sequence-too-small', "recovery restores a sequence number that is one too small", 'src/db/recovery.cc',
       '    db_.versions->SetLastSequence(replay->next - 1);', '    db_.versions->SetLastSequence(replay->next - 2);')
mutant('last-sequence-not-restored', 'recovery forgets the sequence numbers of the logs', 'src/db/recovery.cc',
       'if (replay->next > 0 && db_.versions->LastSequence() < replay->next - 1) {',
       'if (replay->next > 0 && db_.versions->LastSequence() == 0) {')
# (Not here: the check of sequence numbers behind a log that was cut short. Only logs that begin without a link come to it,
# RocksDB's, of which the simulation has none: src/db/db_corruption_test.cc tests it.)
mutant('recovery-behind-a-hole', 'recovery goes on with a log although the end of the one before is missing',
       'src/db/recovery.cc', '''
  const bool whole = replay->last.predecessor == link.predecessor &&
                     replay->last.last_sequence == link.last_sequence &&
                     (link.end == 0 || link.end == replay->last.end);
''', '''
  const bool whole = replay->last.predecessor == link.predecessor;
''', seeds=1200)
mutant('recovery-ignores-links', "recovery does not look at what a log says of the one before",
       'src/db/recovery.cc', '    replay->stopped = !whole;', '    replay->stopped = replay->stopped && !whole;')
mutant('recovery-in-the-middle-of-batches', 'recovery does not ask whether one family has more in tables than the logs have',
       'src/db/recovery.cc', '  if (replay.families.size() < 2 ||\n', '  if (replay.families.size() < 200 ||\n', seeds=1000)
mutant('new-directories-not-synced', 'the names of new directories are not synced', 'src/fs/file_util.cc',
       '  IOStatus s = SyncDirectoryAt(fs, ParentOf(path));',
       '  IOStatus s;\n  static_cast<void>(fs);\n  static_cast<void>(path);')
mutant('reader-is-overtaken', 'an open for reading does not look whether logs went meanwhile', 'src/db/opening.cc',
       '  if (s.ok() && later->FirstLogNeeded() > db_.recovery->FirstLogToReplay()) {', '  if (s.ok() && later->FirstLogNeeded() == 0) {',
       seeds=1000)
mutant('old-records-replayed', 'records of the log that a recycled file held before are replayed',
       'src/wal/log_reader.cc',
       'if (recyclable && DecodeFixed32(p + 7) != static_cast<uint32_t>(log_number_)) {',
       'if (recyclable && DecodeFixed32(p + 7) > static_cast<uint32_t>(log_number_)) {')
mutant('checkpoint-names-its-sources-logs', "a checkpoint's OPTIONS name the directory of its source's logs",
       'src/utilities/checkpoint.cc', 'WithoutDirectories(text)', 'text')
mutant('logs-without-an-owner', "a checkpoint's OPTIONS name the directory of its source's logs, and nobody asks whose they are",
       'src/utilities/checkpoint.cc', 'WithoutDirectories(text)', 'text', also=[
           ('src/db/opening.cc', '  Status s = db_.outside.Find(db_.options, families);\n', '  Status s;\n')])
mutant('log-checksum-not-verified', "the checksum of a log's records is not verified", 'src/db/recovery.cc',
       '/*checksum=*/true, number);\n  for (ColumnFamily* family : replay->families) Choose',
       '/*checksum=*/false, number);\n  for (ColumnFamily* family : replay->families) Choose')
mutant('resume-without-flush', 'Resume() lets writes in before what is in memory is in tables', 'src/db/error_handler.cc',
       '    if (s.ok() && unflushed()) {', '    if (s.ok() && unflushed() && db_.wals == nullptr) {')
mutant('failed-log-kept', 'the flushes of a recovery leave the log that failed in need', 'src/db/memtable_switch.cc',
       '(abandon_wal && (family == db_.families->default_family() ||\n                                                    family->imm.NumNotFlushed() > 0))',
       '(abandon_wal && family == db_.families->default_family())', also=[
           ('src/db/flushes.cc', 'part.edit.SetLogNumber(std::max(oldest, flushes ? part', 'part.edit.SetLogNumber(std::max(flushes ? 0 : oldest, flushes ? part')])
mutant('recovery-flushes-apart', 'a recovery flushes family by family, which needs the log that failed',
       'src/db/error_handler.cc', '      recovery_flushes_ = true;\n', '')

mutant('shortage-kept-for-good', 'a shortage that a file system calls retryable is no reason to go on by itself',
       'src/base/shortage.cc', 'status_to_io_status(Status(s)).GetRetryable();', 'false;')
mutant('recovery-gives-up', 'the first attempt to go on after a shortage is the only one', 'src/db/error_handler.cc',
       'attempts == db_.options.max_bgerror_resume_count) break;', 'attempts > 0) break;')
mutant('compactions-stay-away', 'after a shortage compactions pause for ever', 'src/db/error_handler.cc',
       '  --db_.jobs.pausing;\n', '')

# ---- Compaction

mutant('tombstone-dropped-early', 'a tombstone is dropped although a deeper level has the key',
       'src/compaction/compaction_iterator.cc', '''
         (bottommost_ ||
          compaction_->KeyNotExistsBeyondOutputLevel(parsed.user_key, &level_cursors_));
''', '''
         (bottommost_ || compaction_->output_level() > 0);
''')
mutant('tombstone-dropped-in-level-0', 'a compaction within level 0 drops tombstones of older files',
       'src/compaction/compaction.cc', '''
      (output_level() > 0 || input(0).files.back() == version()->files(0).back()) &&
''', '')
mutant('oldest-snapshot-ignored', 'a compaction keeps nothing for snapshots', 'src/compaction/compaction_iterator.cc',
       'oldest_snapshot_(snapshots_.empty() ? kMaxSequenceNumber : snapshots_.front()),',
       'oldest_snapshot_(kMaxSequenceNumber),')
mutant('newer-snapshots-ignored', 'a compaction keeps something for the oldest snapshot alone',
       'src/compaction/compaction_iterator.cc',
       '  return it == snapshots_.end() ? kMaxSequenceNumber : *it;',
       '  return it == snapshots_.end() || true ? kMaxSequenceNumber : *it;')
mutant('sequence-zeroed-early', 'an entry is given sequence number 0 that an old snapshot must not see',
       'src/compaction/compaction_iterator.cc',
       'bottommost_ && parsed.sequence <= zero_through_ && parsed.sequence != 0 && MayForget());',
       'bottommost_ && parsed.sequence != 0 && MayForget());')
mutant('single-delete-drops-alone', 'a SingleDelete is dropped and the value below it is not',
       'src/compaction/compaction_iterator.cc', '''
    case kTypeDeletionWithTimestamp:
      hidden_below_ = entry.interval;
''', '''
    case kTypeDeletionWithTimestamp:
      if (parsed.type == kTypeSingleDeletion && compaction_ != nullptr && parsed.sequence <= oldest_snapshot_) return false;
      hidden_below_ = entry.interval;
''')
mutant('snapshot-taken-late', 'a snapshot is entered into the list after its sequence number was read',
       'src/db/snapshot_list.h', '''
    fiber::MutexLock lock(&mutex_);
    while (pauses_ > 0) resumed_.wait(&mutex_);
    auto* snapshot = new SnapshotImpl(published(), now, timestamp);
    fiber::interleave();
''', '''
    auto* snapshot = new SnapshotImpl(published(), now, timestamp);
    fiber::interleave();
    fiber::MutexLock lock(&mutex_);
''', seeds=600)
mutant('read-error-ends-compaction', 'a compaction that cannot read an input drops the rest of it',
       'src/compaction/compaction_iterator.cc', '  status_ = input_->status();\n}', '  status_ = Status::OK();\n}')
mutant('part-takes-the-next-key', 'a part of a compaction includes the first key of the next part',
       'src/compaction/compaction_iterator.cc',
       'icmp_->CompareUserKey(entry.parsed.user_key, *end_) >= 0) {',
       'icmp_->CompareUserKey(entry.parsed.user_key, *end_) > 0) {')
mutant('part-misses-a-file', 'a part of a compaction leaves out a file that ends with its first key',
       'src/compaction/subcompaction.cc',
       'icmp.CompareUserKey(file.largest.user_key(), *begin_) >= 0)',
       'icmp.CompareUserKey(file.largest.user_key(), *begin_) > 0)')
mutant('overlap-off-by-one', 'a file that begins with the last key of a range is not taken for overlapping it',
       'src/manifest/version.cc',
       'return icmp_->CompareBare(ExtractUserKey(f.smallest), *end_user_key) <= 0;',
       'return icmp_->CompareBare(ExtractUserKey(f.smallest), *end_user_key) < 0;')
# (Not here: Level0Running() and RangeOverlapsRunning(). A job that they refuse mostly shares a file with the running one, and
# is refused for that, too.)
mutant('file-taken-twice', 'a compaction takes a file that a running one has', 'src/compaction/compaction_picker.cc',
       '                     [](const FileMetaData* f) { return f->being_compacted; });',
       '                     [](const FileMetaData* f) { return f == nullptr; });')
mutant('remote-without-snapshots', 'a worker of remote compaction does not hear of snapshots', 'src/db/remote_worker.cc',
       '  env.snapshots = job_.snapshots;\n', '')

# ---- Reads

mutant('file-boundary', "a lookup passes over the file whose largest key it seeks", 'src/manifest/version.cc',
       'if (icmp.Compare(files[mid].largest, internal_key) < 0) {',
       'if (icmp.CompareUserKey(ExtractUserKey(files[mid].largest), ExtractUserKey(internal_key)) <= 0) {')
mutant('level-0-boundary', "a lookup passes over a file of level 0 whose largest key it seeks", 'src/read/table_walk.h',
       'icmp.CompareBare(user_key, ExtractUserKey(file.largest)) > 0) {',
       'icmp.CompareBare(user_key, ExtractUserKey(file.largest)) >= 0) {')
mutant('multiget-stops-after-level-0', 'a MultiGet that must read looks at level 0 alone', 'src/read/multi_lookup.cc',
       '(s.ok() && context.undecided() && key->at.level < version_.num_non_empty_levels())) {',
       '(s.ok() && context.undecided() && key->at.level < 1)) {')
mutant('filter-lacks-a-key', 'a Bloom filter has a false negative', 'src/table/filter_builder.cc',
       '  std::string bits = BuildFilter(recipe_, hashes_);',
       '  if (hashes_.size() > 1) hashes_.pop_back();\n'
       '  std::string bits = BuildFilter(recipe_, hashes_);')
mutant('cache-key-without-file', 'blocks of different tables share their place in the cache',
       'src/table/block_cache_key.cc', '  PutFixed64(&id, file_number);\n', '')
mutant('cache-warmed-for-the-table-before', 'blocks of a table that is written are taken for those of another one',
       'src/table/cache_warmer.cc', 'CachePrefixOf(identity, options.cur_file_num,', 'CachePrefixOf(identity, options.cur_file_num - 1,')
mutant('block-checksum-not-verified', 'a bit that flips in a block goes unnoticed', 'src/table/block_fetcher.cc',
       '  if (stored != computed) {', '  if (stored != computed && size == 0) {')
mutant('bzip2-loses-the-last-byte', 'a block that bzip2 compresses lacks its last byte', 'src/table/compression.cc',
       'const_cast<char*>(raw.data()), static_cast<unsigned int>(raw.size()),\n      kBzip2',
       'const_cast<char*>(raw.data()), static_cast<unsigned int>(raw.size() - 1),\n      kBzip2')
mutant('persistent-key-without-table', 'blocks of different tables share their place in the persistent cache',
       'src/table/persistent_blocks.cc', '  return {source.persistent_prefix, ', '  return {source.persistent_prefix & 0, ')
mutant('user-index-without-sequence', 'a block that ends with a key is passed over by who seeks that key with the index of the user',
       'src/table/user_index.cc', 'context.last_key_tag = ExtractInternalKeyFooter(last_key);', 'context.last_key_tag = UINT64_MAX;')
mutant('compression-manager-without-dictionary', 'blocks that a manager compressed with a dictionary are read without it',
       'src/table/compression.cc', '    made->of_manager_ = made->own_.get();\n', '')
mutant('prev-skips-at-restart', "Prev() passes over the last entry before a block's restart point",
       'src/table/block.cc', '    cache.at = cache.entries.size();\n',
       '    cache.at = std::max<size_t>(cache.entries.size() - 1, 1);\n')
mutant('level-scan-stops-in-gap', 'a backward scan that begins between two files of a level misses the level',
       'src/read/level_iterator.cc', '      return Close();\n    }\n    SkipExhaustedBackward();\n',
       '      return Close();\n    }\n')
mutant('scan-ends-at-unreadable', 'a scan passes over a table that it cannot read', 'src/read/level_iterator.cc', '''
  void SkipExhaustedForward() {
    while (!table_->Valid() && table_->status().ok()) {
''', '''
  void SkipExhaustedForward() {
    while (!table_->Valid()) {
''')
mutant('turn-loses-a-source', 'an iterator that turns round leaves the other sources where they stand',
       'src/read/merging_iterator.cc',
       '        c.iter->SeekForPrev(front->key);\n', '')
mutant('refreshed-at-the-present', 'an iterator at a snapshot that lets go of old tables shows the present from there on',
       'src/read/db_iterator.cc', '  Attach(followed_at_);\n', '  Attach(nullptr);\n', seeds=400)
mutant('turn-to-first', 'Next() after Prev() shows the same entry again', 'src/read/db_iterator.cc', '''
    if (!forward_) TurnForward();
    on_entry_ = true;
    valid_ = false;
    FindForward(Skip::kHidden);
''', '''
    if (!forward_) {
      TurnForward();
      SeekInternal(saved_key_.get(), sequence_, kValueTypeForSeek);
    }
    on_entry_ = true;
    valid_ = false;
    FindForward(Skip::kNone);
''')
mutant('iterator-reads-number-first', 'an iterator takes its sequence number before the memtables and tables',
       'src/read/attached_iterator.cc', '''
  sv_ = env_.super_versions->Acquire();
  fiber::interleave();
  // After the super version: its memtable then holds every write up to this number that a later
  // flush could have moved away.
  sequence_ =
      snapshot != nullptr ? snapshot->GetSequenceNumber() : sv_->LastVisible(env_.last_sequence());
''', '''
  const SequenceNumber last = env_.last_sequence();
  fiber::interleave();
  sv_ = env_.super_versions->Acquire();
  sequence_ = snapshot != nullptr ? snapshot->GetSequenceNumber() : sv_->LastVisible(last);
''', seeds=600)
mutant('get-reads-number-first', 'a Get takes its sequence number before the memtables and tables',
       'src/db/read_path.cc', '''
    SuperVersionGuard sv(family->super_versions.get());
    fiber::interleave();
    const SequenceNumber sequence = SequenceFor(options, *sv.get());
    timer.Stop();
    const LookupRequest request{
''', '''
    const SequenceNumber last = db_.versions->LastSequence();
    fiber::interleave();
    SuperVersionGuard sv(family->super_versions.get());
    const SequenceNumber sequence = std::min(last, SequenceFor(options, *sv.get()));
    const LookupRequest request{
''', seeds=2000)
mutant('upper-bound-included', 'a forward scan shows its upper bound', 'src/read/attached_iterator.h',
       'icmp_.CompareToBound(user_key, *options_.iterate_upper_bound) >= 0;',
       'icmp_.CompareToBound(user_key, *options_.iterate_upper_bound) > 0;')
mutant('reseek-goes-too-far', 'a scan that passes over many entries too new for it misses the key',
       'src/read/db_iterator.cc', '''
        SeekInternal(saved_key_.get(), sequence_, kValueTypeForSeek);
        continue;
''', '''
        SeekInternal(saved_key_.get(), 0, kTypeDeletion);
        continue;
''')
mutant('long-history-backward', 'a backward scan does not find a key with many versions', 'src/read/db_iterator.cc', '''
    if (!SaveValue(type)) return false;
    *found = true;
    if (saved_is_blob_)
''', '''
    if (!SaveValue(type)) return false;
    if (saved_is_blob_)
''')

# ---- Merges

mutant('merge-without-its-base', 'a compaction merges operands and forgets the value below them',
       'src/compaction/compaction_iterator.cc',
       '    if (base != nullptr) stands_on = {base_value, base->type};',
       '    if (base != nullptr && base_value.empty()) stands_on = {base_value, base->type};')
mutant('merge-loses-columns', 'a merge over an entity keeps the default column alone', 'src/base/merge_operator.cc',
       '  for (size_t i = has_default ? 1 : 0; i < columns->size(); ++i) {',
       '  for (size_t i = columns->size(); i < columns->size(); ++i) {')
mutant('fold-loses-columns', 'max_successive_merges writes an entity as a plain value', 'src/db/write_path.cc',
       '*type = is_entity ? kTypeWideColumnEntity : kTypeValue;', '*type = kTypeValue;')
mutant('entity-after-entity', 'a backward scan shows a plain value below with the columns of the entity before',
       'src/read/db_iterator.cc', '  saved_is_entity_ = type == kTypeWideColumnEntity;\n  saved_is_blob_',
       '  saved_is_entity_ |= type == kTypeWideColumnEntity;\n  saved_is_blob_')
mutant('multiget-forgets-kind', 'a MultiGet that must read takes entities for plain values', 'src/read/multi_lookup.cc',
       'Conclude(std::move(s), request, context, hit_level, Answer(i));',
       'Conclude(std::move(s), request, context, hit_level, {&values_[i]});')
mutant('merge-over-a-snapshot', 'a compaction merges operands that a snapshot keeps apart',
       'src/compaction/compaction_iterator.cc',
       '(entry.order != 0 || entry.interval != operands_interval_)) [[unlikely]] {',
       '(entry.order != 0 || operands_interval_ == 0)) [[unlikely]] {')
mutant('merge-as-if-bottommost', 'a compaction makes a value of operands whose base may lie deeper',
       'src/compaction/compaction_iterator.cc', '      base == nullptr && at_end && compaction_ != nullptr &&\n'
       '      (bottommost_ || compaction_->KeyNotExistsBeyondOutputLevel(user_key_, &level_cursors_));',
       '      base == nullptr && at_end && compaction_ != nullptr;')
mutant('operands-collected-twice', 'a lookup that goes on keeps the operands of the file that it asks again',
       'src/read/table_walk.h', '      if (operands != nullptr) operands->Truncate(operands_above);\n',
       '      if (operands != nullptr) static_cast<void>(operands_above);\n')
mutant('merge-backwards-in-wrong-order', 'an iterator applies operands newest first on its way back',
       'src/base/merge_operands.cc', '  rep_->newest_last = true;', '  rep_->newest_last = false;')
mutant('fold-misses-the-group', 'an operand that is one too many becomes a value without those that are not published yet',
       'src/db/write_path.cc', '      PointLookup({options, *sv.get(), family->tables.get(), sequence - 1, db_.statistics}, key,\n',
       '      PointLookup({options, *sv.get(), family->tables.get(), db_.versions->LastSequence(), db_.statistics}, key,\n')

mutant('logs-of-a-dropped-family', 'a recovery reads logs that only a dropped family needed, and stops where they are damaged',
       'src/db/recovery.cc',
       '  return std::max(db_.versions->MinLogNumberToKeep(),\n                  db_.versions->MinLogNumberWithUnflushedData());',
       '  return db_.versions->MinLogNumberToKeep();', seeds=1500)

# ---- Range tombstones

mutant('range-tombstone-dropped-early', 'a compaction at the bottom drops range tombstones that a snapshot must not see',
       'src/compaction/tombstone_writer.cc', '        if (bottommost && seen_by == snapshots.begin()) {',
       '        if (bottommost) {')
mutant('range-tombstone-hides-newer', 'a compaction drops entries that are newer than the range tombstone over them',
       'src/compaction/compaction_iterator.cc',
       'history_low_, /*before=*/true) >\n             parsed.sequence;', 'history_low_, /*before=*/true) != 0;')
mutant('range-tombstone-cut-and-lost', 'of a range tombstone what lies in the next output file is lost',
       'src/compaction/tombstone_writer.cc', '    if (cut) {', '    if (cut && kept.sequences.empty()) {')
mutant('flush-loses-tombstones', 'a flush writes no range tombstones', 'src/compaction/flush_job.cc',
       '  if (s.ok()) tombstones->WriteUpTo(nullptr, writer);\n', '  static_cast<void>(tombstones);\n')
mutant('scan-passes-newer', 'a scan that passes a deleted range passes newer entries in it, too',
       'src/read/db_iterator.cc', 'iter_->SeekOlder(tombstones_->older(),', 'iter_->SeekOlder(0,')
mutant('memtable-tombstones-stale', 'a memtable that was asked for its range tombstones never sees those that follow',
       'src/memtable/memtable_tombstones.cc', '  if (fragmented_ != tombstones_.size()) {', '  if (fragmented_ == 0) {')

# ---- Files from outside

mutant('ingest-before-the-log', 'files from outside become durable before what was written before them',
       'src/db/ingestions.cc', '  IOStatus io = db_.wals->Sync();\n', '  IOStatus io;\n')
mutant('ingest-over-memory', 'files from outside go below what memory holds of their keys',
       'src/db/ingestions.cc', '    if (!overlaps) continue;\n', '    continue;\n')
mutant('ingest-below-what-is-older', 'a file from outside sinks past the files that have its keys',
       'src/db/ingestions.cc', '''
        needs_sequence = true;
        break;
''', '''
        needs_sequence = true;
        if (fits(bottom)) file.level = bottom;
        break;
''')
mutant('ingest-then-newer', 'a read without the files from outside sees what was written after them', 'src/db/ingestions.cc',
       '    part.family->limit->store(last, std::memory_order_relaxed);\n', '', seeds=3000)
mutant('ingest-seen-by-snapshots', 'a snapshot sees files that came later', 'src/db/ingestions.cc',
       '    part.needs_sequence = orders || snapshots;', '    part.needs_sequence = orders;')
mutant('ingest-meets-a-snapshot', 'a snapshot is taken while files come that have no sequence number',
       'src/db/snapshot_list.h', '    while (pauses_ > 0) resumed_.wait(&mutex_);\n', '', seeds=600)
mutant('export-without-flush', 'an exported family lacks what is in memory', 'src/utilities/checkpoint.cc',
       '  s = db_->Flush(FlushOptions(), handle);\n', '')
mutant('import-level-0-backwards', 'the newest file of an imported level 0 becomes its oldest', 'src/db/imported_file.cc', '''
    return epochs_known ? NewestFirstByEpoch(&b.meta, &a.meta)
                        : NewestFirstBySequence(&b.meta, &a.meta);
''', '''
    return epochs_known ? NewestFirstByEpoch(&a.meta, &b.meta)
                        : NewestFirstBySequence(&a.meta, &b.meta);
''')
mutant('ingest-number-given-again', 'the next write gets the sequence number of a file from outside',
       'src/db/ingestions.cc', '  if (consumed > 0) db_.versions->SetLastSequence(last + consumed);\n', '  static_cast<void>(consumed);\n')
mutant('ingest-tombstones-not-looked-for', 'a file goes below a range tombstone that is older than it',
       'src/db/external_file.cc', '      *overlaps |= HasTombstoneIn(icmp, *tombstones, file, &one.smallest, &one.largest);\n',
       '      static_cast<void>(HasTombstoneIn(icmp, *tombstones, file, &one.smallest, &one.largest));\n')
mutant('ingest-into-a-compaction', 'a file is put where a running compaction is about to write',
       'src/db/ingestions.cc', '''
                          !part->family->picker->RangeOverlapsRunning(smallest, largest, level));
''', '''
                          level >= 0);
''', seeds=600)
mutant('ingest-above-a-foreign-style', 'under FIFO, a file from outside does not see what another style left in deeper levels',
       'src/db/ingestions.cc', 's.ok() && level < part.family->num_levels && !overlaps', 's.ok() && level <= part.deepest && !overlaps',
       seeds=600)

# ---- Repair

mutant('repair-trusts-sequence-numbers', 'a repair takes the table with the newest entry for the newer one of each key',
       'src/repair/repair_tables.cc', '    if (second_greatest > first_least) relation->second_is_newer = true;\n',
       '    static_cast<void>(first_least + second_greatest);\n', seeds=1200)
mutant('repair-leaves-a-log-out', 'a repair does not convert the last log', 'src/repair/repair_logs.cc',
       '  for (const uint64_t number : log_numbers_) {\n    Status s = ConvertLog(number);',
       '  for (const uint64_t number : log_numbers_) {\n    if (number == *log_numbers_.rbegin()) break;\n    Status s = ConvertLog(number);')
mutant('repair-counts-operands-twice', 'operands of a log are taken that a table has already', 'src/repair/repair_logs.cc',
       '    return there ? OperandFate::kDropped : OperandFate::kKept;',
       '    return there && sequence == 0 ? OperandFate::kDropped : OperandFate::kKept;', seeds=4000)
mutant('repair-checks-neighbours-alone', 'level 0 after a repair may have nested numbers where a table with a single one is between',
       'src/repair/table_places.cc', '      least = std::min(least, table.smallest_seqno);\n',
       '      least = table.smallest_seqno;\n', seeds=1200)

# ---- Found by the simulation or its neighbours, and mended

mutant('families-go-apart', 'an atomic flush tells of a family without writes that it needs no log, though another needs it',
       'src/db/flushes.cc', '                                                    : part.family->state->log_number()));\n',
       '                                                    : db_.wals->current_number()));\n', seeds=600)
mutant('compact-files-leaves-a-gap', 'CompactFiles of two levels writes over a file that lies between',
       'src/compaction/compaction_picker.cc', '    if (level == output_level && any) {\n', '    if (level < 0) {\n', seeds=400)
mutant('level-0-encloses-a-memtable', 'a file from outside is merged within level 0 while a memtable has older entries',
       'src/compaction/compaction_picker.cc', '  if (largest >= unflushed_from_) return false;\n', '', seeds=2400)
mutant('level-0-encloses-a-table', 'files of level 0 are merged though one that stays has sequence numbers between theirs',
       'src/compaction/compaction_picker.cc', 'return f->smallest_seqno > largest || f->largest_seqno == 0;', 'return f->number > 0;', seeds=4000)

# ---- Transactions

transactions('lock-left-by-a-rollback', 'a rollback to a save point leaves the locks that were taken since',
             'src/utilities/pessimistic_transaction.cc',
             '  Unlock(LockTable::HashOf(family, key), family, key);',
             '  static_cast<void>(family), static_cast<void>(key);')
transactions('lock-given-back-early', 'the locks are free before the commit is written', 'src/utilities/pessimistic_transaction.cc', '''
  s = WriteCommit(batch_.GetWriteBatch(), /*step=*/nullptr);
  Unregister();
''', '''
      for (const TrackedKeys::Entry& entry : tracked_.entries()) {
        if (entry.is_tracked()) txn_db_->locks()->Unlock(this, entry.hash, entry.family, tracked_.KeyOf(entry));
      }
  s = WriteCommit(batch_.GetWriteBatch(), /*step=*/nullptr);
  Unregister();
''')
transactions('commits-snapshot-taken-late', 'the snapshot of a commit is taken when its caller goes on', 'src/db/db_transactions.cc', '''
  return step != nullptr ? db_.writes->WriteStep(options, updates, step, &take)
                         : db_.writes->Write(options, updates, nullptr, nullptr, &take);
''', '''
  Status s = step != nullptr ? db_.writes->WriteStep(options, updates, step)
                             : db_.writes->Write(options, updates);
  if (s.ok()) take(db_.versions->LastSequence());
  return s;
''')
transactions('stamped-snapshot-not-held', 'compactions do not know the snapshots with timestamps', 'src/db/snapshot_list.cc',
             '  for (const SnapshotImpl* snapshot : live_) {\n',
             '  for (const SnapshotImpl* snapshot : live_) {\n    if (snapshot->timestamp_ != SnapshotImpl::kNoTimestamp) continue;\n')
transactions('shared-beside-exclusive', 'who wants to read is let in beside who writes', 'src/utilities/lock_table.cc',
             '  if (!has && !exclusive && !lock->exclusive && lock->head == nullptr) {', '  if (!has && !exclusive && lock->head == nullptr) {')
transactions('upgrade-beside-readers', 'who has a lock shared gets it exclusively beside others', 'src/utilities/lock_table.cc',
             '  if (has && !lock->holders.HasOthers(owner)) {', '  if (has) {')
transactions('granted-to-the-next-writer', 'an exclusive lock is granted while others still have it', 'src/utilities/lock_table.cc',
             '    if (first->exclusive ? lock->holders.HasOthers(first->owner)\n', '    if (first->exclusive ? lock->holders.size() > 1\n')
transactions('granted-lock-stays-shared', 'a lock that was waited for exclusively counts as shared', 'src/utilities/lock_table.cc',
             '    lock->exclusive = first->exclusive;', '    lock->exclusive = false;')
transactions('stolen-and-committed', 'a transaction whose locks were taken commits', 'src/utilities/pessimistic_transaction.cc',
             '  return txn_state_.compare_exchange_strong(expected, LOCKS_STOLEN) || expected == LOCKS_STOLEN;',
             '  return txn_state_ == expected;',
             also=[('src/utilities/pessimistic_transaction.cc', '  if (IsExpired()) return Status::Expired();\n  const TransactionState state', '  const TransactionState state')])
transactions('stolen-too-soon', 'the locks of a transaction that expires are taken while it commits', 'src/utilities/pessimistic_transaction.cc',
             '  return txn_state_.compare_exchange_strong(expected, LOCKS_STOLEN) || expected == LOCKS_STOLEN;',
             '  txn_state_.compare_exchange_strong(expected, LOCKS_STOLEN);\n  return true;')
transactions('read-before-the-lock', 'a read for update reads, and locks the key then', 'src/utilities/transaction_base.cc', '''
    Status s = TrackKey(family, key, /*read_only=*/true, exclusive, validate);
    return s.ok() ? read(options) : s;
''', '''
    Status found = read(options);
    Status s = TrackKey(family, key, /*read_only=*/true, exclusive, validate);
    return s.ok() ? found : s;
''')
transactions('plain-write-locks-nothing', 'a plain write takes no locks', 'src/utilities/transaction_db.cc',
             '  for (; s.ok() && locked < keys.size(); locked += s.ok()) {',
             '  for (keys.clear(); s.ok() && locked < keys.size(); locked += s.ok()) {')
transactions('reads-not-validated', 'an optimistic transaction validates what it wrote, not what it read',
             'src/utilities/optimistic_transaction.cc', '''
    bool written = false;
    Status s =
        db_->WrittenSince(''', '''
    if (entry.writes == 0) continue;
    bool written = false;
    Status s =
        db_->WrittenSince(''')
transactions('validated-at-the-end-of-tracking', 'a key counts as read when it was last tracked, not first', 'src/utilities/tracked_keys.cc',
             '    entry.since = std::min(entry.since, since);', '    entry.since = since;')
transactions('validated-without-buckets', 'parallel validation locks no buckets', 'src/utilities/optimistic_transaction.cc',
             '    const OccLocks::Guard guard(locks, std::move(buckets));\n', '')
transactions('validated-before-the-turn', "serial validation comes before the write's turn", 'src/utilities/optimistic_transaction.cc',
             '    s = db_->WriteChecked(write_options_, batch, &check);', '    s = check();\n    if (s.ok()) s = db_->Write(write_options_, batch);')
transactions('rollback-to-a-save-point-keeps-writes', 'a rollback to a save point keeps what was written since',
             'src/utilities/transaction_base.cc', '  return batch_.RollbackToSavePoint();\n}\n\nStatus TransactionBase::PopSavePoint',
             '  return batch_.PopSavePoint();\n}\n\nStatus TransactionBase::PopSavePoint')
transactions('rollback-to-a-save-point-unlocks-all', 'a rollback to a save point gives back locks that were taken before',
             'src/utilities/tracked_keys.cc',
             '    if (change.entry == kNone || !TakeBack(change.entry, change.read_only)) continue;',
             '    if (change.entry == kNone) continue;\n    TakeBack(change.entry, change.read_only);')

transactions('prepared-log-not-kept', 'a log goes though only it has what a transaction has prepared', 'src/db/memtable_switch.cc',
             '  uint64_t oldest = db_.prepared.Oldest();', '  uint64_t oldest = UINT64_MAX;')
transactions('committed-log-not-kept', 'the log of a prepared section goes while only a memtable has its entries', 'src/db/memtable_switch.cc',
             '    if (log != 0 && !flushed.contains(memtable)) oldest', '    if (log == 1 && !flushed.contains(memtable)) oldest')
transactions('recovered-without-locks', 'what recovery finds prepared has no locks', 'src/utilities/pessimistic_transaction.cc',
             '    LockRecovered(record.family, StripTimestamp(record.key, db_->TimestampSizeOf(record.family)));\n', '')
transactions('rollback-not-logged', 'the rollback of what was prepared is not in the log', 'src/utilities/pessimistic_transaction.cc',
             'kTypeRollbackXID, name_);\n  if (s.ok()) s = db_->WriteStep(write_options_, &batch, &step);', 'kTypeRollbackXID, name_);')
transactions('prepare-not-synced', 'Prepare() does not sync, whatever the options say', 'src/utilities/pessimistic_transaction.cc',
             '  if (s.ok()) s = db_->WriteStep(write_options_, &section, &step);', '  if (s.ok()) s = db_->WriteStep(WriteOptions(), &section, &step);')

transactions('index-entry-stays', 'a new value leaves the entry of the old one in the index', 'src/utilities/indexed_transaction.cc',
             'i < entries.size(); ++i) {\n    s = PessimisticTransaction::SingleDelete', 'i + 1 < entries.size(); ++i) {\n    s = PessimisticTransaction::SingleDelete')
# (Worlds of transactions draw one of RocksDB's policies: half of them have shared numbers.)
transactions('shared-copy-without-before', 'the copy of an undecided section does not hide the original', 'src/commit/prepared_sections.cc',
             '  Status s = WriteBatchInternal::Append(record, &before);\n', '  Status s;\n')
transactions('shared-rollback-without-before', 'a rollback does not log what its keys had', 'src/utilities/pessimistic_transaction.cc',
             '    s = db_->ValuesBefore(*batch_.GetWriteBatch(), /*of_merges_only=*/false, &batch);\n', '')
transactions('shared-commit-merges-twice', 'a commit does not log what merged keys had', 'src/utilities/pessimistic_transaction.cc',
             '  Status s = db_->ValuesBefore(*prepared, /*of_merges_only=*/true, batch);\n', '  Status s;\n')
transactions('shared-undecided-seen', 'what recovery leaves undecided is not hidden', 'src/db/recovery_prepared.cc',
             '    s = ApplyBatch(before.Data(), first,', '    s = ApplyBatch(WriteBatch().Data(), first,')
transactions('shared-before-is-own', 'recovery takes what a section wrote for what its keys had before', 'src/db/values_before.cc',
             '    if (!is_hidden || newest == 0) return s;', '    return s;')
transactions('shared-decided-is-copied', 'a decided section goes on to the next log', 'src/db/write_path.cc',
             '    db_.prepared.Forget(step->name);\n', '')
transactions('shared-copy-not-synced', 'the log goes before the copies of its undecided sections are durable', 'src/db/memtable_switch.cc',
             '  return db_.prepared.CopyAll(wal, append, [this] { return db_.wals->Sync(); });',
             '  return db_.prepared.CopyAll(wal, append, [] { return IOStatus::OK(); });')
transactions('shared-numbers-not-taken', 'a prepared section takes no sequence numbers', 'src/commit/two_phase.h',
             '    return shares_numbers() ? numbers : 0;', '    return 0;')

# ---- Tiers by age

mutant('last-level-goes-up', 'young entries of the last level go up between tables that stay there',
       'src/compaction/compaction_picker.cc',
       '  if (placement.full_range) placement.stays_through = 0;', '  placement.stays_through = 0;', seeds=600)

# ---- Directories for tables

mutant('first-tables-directory-synced', 'a compaction syncs the first directory of tables, whichever has its outputs',
       'src/compaction/compaction_job.cc',
       'for (const FileMetaData& output : part->outputs()) paths.insert(output.path_id);',
       'for (const FileMetaData& output : part->outputs()) paths.insert(output.path_id / 4);', seeds=600)
mutant('family-directory-not-synced', "a flush syncs the database's directory of tables, not the family's own",
       'src/db/background_work.cc', 'for (const auto& directory : family.directories)',
       'for (const auto& directory : db_.table_directories)', seeds=1500)
mutant('path-not-recorded', 'the MANIFEST does not say in which directory a table is', 'src/manifest/version_edit.cc',
       '  if (f.path_id != 0) {', '  if (f.path_id == 4) {')
mutant('checkpoint-of-the-first-path', 'a checkpoint looks for all tables in the first of their directories', 'src/db/live_files.cc',
       'const size_t path = std::min<size_t>(file->path_id, paths.size() - 1);', 'const size_t path = 0;')

# ---- Checksums of entries in memory

mutant('checksum-of-followers', "a group's record is compared with the checksums of one batch after the other, as if all had some",
       'src/commit/commit_queue.cc', 's = reader.Skip(count);', 's = reader.Skip(0);')
mutant('checksum-without-sequence', "an entry is compared with what stands behind it without its sequence number",
       'src/memtable/memtable.cc', 'EncodeChecksum(XorSequence(own, seq), bytes,', 'EncodeChecksum(own, bytes,')
timestamps('checksum-of-zeros', 'a batch whose keys get timestamps keeps the checksums of the keys before', 'src/batch/write_batch.cc',
           'if (protection_ != nullptr) protection_->Set(index, RecordChecksum(record));', '')
timestamps('checksum-of-another-type', 'a deletion with a timestamp is compared as one without', 'src/commit/batch_apply.cc',
           '  *checksum = EntryChecksum(type, record.key, value);', '  *checksum = EntryChecksum(record.type, record.key, value);')

# ---- Blob files

mutant('blob-file-goes-with-half-of-it', 'a blob file goes when half of it is garbage', 'src/manifest/blob_files_builder.cc',
       'if (meta.linked_tables.empty() && meta.garbage_blobs >= meta.file->blobs) continue;',
       'if (meta.linked_tables.empty() && 2 * meta.garbage_blobs >= meta.file->blobs) continue;')
mutant('blob-table-keeps-the-newest', 'a table keeps the newest blob file that it refers to, and not the oldest',
       'src/compaction/table_writer.cc', 'at.file_number < *oldest', 'at.file_number > *oldest')
mutant('blob-garbage-counted-twice', 'a blob that a compaction reads counts as two', 'src/compaction/job_blobs.cc',
       '  ++flow.blobs_in;\n', '  flow.blobs_in += 2;\n')
mutant('blob-file-not-synced', 'a blob file is not synced before the MANIFEST has it', 'src/compaction/blob_file_writer.cc',
       '  Status s = file_->Sync(env_.db_options->use_fsync);', '  Status s = file_->Flush();')
mutant('blob-file-of-an-older-version', 'a blob file goes with the first version that had it', 'src/manifest/version_set.cc',
       '  assert(it != held_blob_files_.end());\n  if (--it->second != 0) return;\n', '  if (it == held_blob_files_.end()) return;\n')
mutant('blob-moves-alone', 'a blob that is written anew leaves its old index in the table', 'src/compaction/job_blobs.cc', '''
    } else {
      Become(kTypeBlobIndex, index_, parsed, key, value);
    }
''', '''
    }
''')

# ---- Backups

mutant('backup-misses-the-last-table', 'a backup leaves the last table out', 'src/utilities/backup_create.cc', '''
  for (const LiveFileStorageInfo& file : files) {
    if (context_.stopped()) return BackupStopped();
''', '''
  const LiveFileStorageInfo* last = nullptr;
  for (const LiveFileStorageInfo& file : files) {
    if (file.file_type == kTableFile) last = &file;
  }
  for (const LiveFileStorageInfo& file : files) {
    if (&file == last) continue;
''', seeds=400)
mutant('backup-not-synced', 'the files of a backup are not synced', 'src/utilities/backup_copy.cc',
       'if (s.ok() && env_.sync) s = target->Sync(IOOptions(), nullptr);', '', seeds=400)
mutant('backup-names-not-synced', "the names of a backup's files are not synced", 'src/utilities/backup_create.cc',
       '  if (s.ok()) s = SyncNames();\n', '', seeds=400)
mutant('backup-deletion-takes-shared-files', 'what goes with a backup is gone for the others, too', 'src/utilities/backup_catalog.cc',
       'if (IsSharedBackupFile(file->path) && !state_.files.contains(file->path)) {', 'if (IsSharedBackupFile(file->path)) {', seeds=400)
mutant('backup-of-files-that-go', 'files may go while a backup copies them', 'src/utilities/backup_create.cc',
       'Status disabled = db_->DisableFileDeletions();', 'Status disabled = Status::NotSupported();', seeds=400)

# ---- Encrypted files

mutant('prefix-that-must-be-whole', 'an encrypted log whose writer lost the power before its prefix was there is an error',
       'src/fs/encrypted_file_system.cc', 'if (!io.ok() || !prefix_->complete()) return io;',
       'if (!io.ok()) return io;\n    if (!prefix_->complete()) return IOStatus::Corruption("no prefix", path_);', seeds=400)
