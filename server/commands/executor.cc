#include "server/commands/executor.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "fiber/clock.h"
#include "server/state/server_state.h"

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Status;

namespace {

// Of one run: more wait for the next one.
constexpr size_t kMaxRun = 512;
constexpr size_t kMinReadRun = 8;
constexpr size_t kMaxRunBytes = 4 << 20;
// Replies are sent when there are so many bytes of them.
constexpr size_t kFlushBytes = 256 << 10;

constexpr std::string_view kDiskFull =
    "MISCONF The disk is full: commands that need room are refused, those that delete are not";

size_t BytesOf(const Arguments& request) {
  size_t bytes = 0;
  for (const std::string_view word : request) bytes += word.size();
  return bytes;
}

std::string Quoted(const Arguments& request) {
  std::string text;
  for (size_t i = 1; i < request.size() && text.size() < 128; ++i) {
    text.append("'").append(request[i].substr(0, 128 - std::min<size_t>(128, text.size())));
    text.append("' ");
  }
  return text;
}

}  // namespace

Executor::Executor(ServerState* server, Session* session, ReplyWriter* reply, Client client)
    : server_(server),
      session_(session),
      reply_(reply),
      client_(std::move(client)),
      locks_(&server->keyspace().locks()),
      queued_share_(&server->keyspace().memory()),
      reply_share_(&server->keyspace().memory()),
      max_read_run_(kMinReadRun) {}

Executor::~Executor() { Discard(); }

void Executor::Discard() {
  session_->in_multi = session_->multi_failed = false;
  session_->queued.clear();
  session_->queued_bytes = 0;
  queued_share_.Set(0);
  session_->queued_commands.store(-1, std::memory_order_relaxed);
  Unwatch();
}

void Executor::RefreshRights() {
  Acl& acl = server_->acl();
  session_->acl_generation = acl.generation();
  Acl::UserPtr user = acl.Find(session_->user);
  if (user != nullptr && user->id() == session_->user_id.load(std::memory_order_relaxed)) {
    session_->unrestricted = user->unrestricted();
    session_->rights = std::move(user);
    return;
  }
  // It was deleted.
  session_->authenticated = false;
  session_->close_after_reply = true;
}

std::string Executor::Denial(const Command& command, const Arguments& request,
                             const char* context) {
  size_t position;
  const char* reason = "command";
  std::string why, object;
  switch (session_->rights->Check(command, request, &position)) {
    case AclUser::Denied::kNothing:
      return {};
    case AclUser::Denied::kCommand:
      object = CommandPermissions().Of(command, request).name;
      why = "run the '" + object + "' command";
      break;
    case AclUser::Denied::kKey:
      reason = "key";
      object = request[position];
      why = "access one of the keys used as arguments";
      break;
    case AclUser::Denied::kChannel:
      reason = "channel";
      object = request[position];
      why = "access one of the channels used as arguments";
      break;
  }
  const uint64_t now_ms = server_->keyspace().NowMillis();
  server_->acl().log().Add({.reason = reason,
                            .context = context,
                            .object = std::move(object),
                            .user = session_->user,
                            .client = DescribeClient(*session_, now_ms)},
                           now_ms);
  return "this user has no permissions to " + why;
}

Executor::Admitted Executor::Admit(const Arguments& request) {
  const Command* const command = FindCommand(request[0]);
  if (command == nullptr) {
    return {nullptr, "ERR unknown command '" + std::string(request[0].substr(0, 128)) +
                         "', with args beginning with: " + Quoted(request)};
  }
  if (!command->ArityFits(request.size())) {
    return {nullptr,
            "ERR wrong number of arguments for '" + std::string(command->name) + "' command"};
  }
  if (session_->acl_generation != server_->acl().generation()) [[unlikely]] {
    RefreshRights();
  }
  if (!session_->authenticated && !command->Is(kNoAuth)) {
    return {nullptr, "NOAUTH Authentication required."};
  }
  if (!session_->unrestricted) [[unlikely]] {
    const std::string denial = Denial(*command, request, session_->in_multi ? "multi" : "toplevel");
    if (!denial.empty()) return {nullptr, "NOPERM " + denial};
  }
  if (session_->subscriptions != 0 && reply_->version() == 2 && !command->Is(kPubSub)) {
    return {nullptr, "ERR Can't execute '" + std::string(command->name) +
                         "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are "
                         "allowed in this context"};
  }
  if (server_->disk().full() && command->Is(kWrite) && !command->Is(kRemoves)) [[unlikely]] {
    return {nullptr, std::string(kDiskFull)};
  }
  if (session_->in_multi && command->Is(kNoMulti)) {
    return {nullptr, "ERR Command not allowed inside a transaction"};
  }
  session_->last_command.store(command, std::memory_order_relaxed);
  return {command, {}};
}

void Executor::Run(std::span<const Arguments> requests) {
  session_->commands.fetch_add(requests.size(), std::memory_order_relaxed);
  server_->stats().AddCommands(requests.size());
  admitted_.resize(requests.size());
  size_t i = 0;
  size_t known = 0;  // requests whose commands were looked up
  while (i < requests.size() && !session_->close_after_reply &&
         !session_->killed.load(std::memory_order_relaxed)) {
    if (known <= i) {
      admitted_[i] = Admit(requests[i]);
      known = i + 1;
    }
    const Command* const command = admitted_[i].command;
    if (command == nullptr) {
      const ReplyWriter::Mark mark = reply_->mark();
      reply_->Error(admitted_[i].error);
      if (TakeSilence()) reply_->Rewind(mark);
      if (session_->in_multi) session_->multi_failed = true;
      ++i;
    } else if (session_->in_multi && !command->Is(kImmediate)) {
      Queue(requests[i]);
      ++i;
    } else if (command->Is(kConnection)) {
      RunAlone(requests[i], *command);
      ++i;
      known = i;  // it may have changed who may do what
    } else if (command->Is(kBlocks)) {
      RunBlocking(requests[i], *command);
      ++i;
    } else {
      // As many of the same kind as follow one another.
      const bool writes = command->Is(kWrite);
      const bool alone = command->Is(kWritesAllKeys);
      size_t bytes = BytesOf(requests[i]);
      size_t end = i + 1;
      const size_t most = writes ? kMaxRun : max_read_run_;
      while (!alone && end < requests.size() && end - i < most && bytes < kMaxRunBytes) {
        if (known <= end) {
          admitted_[end] = Admit(requests[end]);
          known = end + 1;
        }
        const Command* const next = admitted_[end].command;
        if (next == nullptr || !next->Is(writes ? kWrite : kRead) ||
            next->Is(kConnection | kBlocks | kWritesAllKeys)) {
          break;
        }
        bytes += BytesOf(requests[end]);
        ++end;
      }
      const std::span<const Admitted> run(admitted_.data() + i, end - i);
      if (writes) {
        i += RunWrites(requests.subspan(i, end - i), run);
      } else {
        RunReads(requests.subspan(i, end - i), run);
        i = end;
      }
    }
    if (reply_->size() >= kFlushBytes && !client_.flush()) session_->close_after_reply = true;
  }
}

void Executor::Queue(const Arguments& request) {
  const bool silent = TakeSilence();
  session_->queued_bytes += BytesOf(request) + sizeof(std::string) * request.size();
  const char* refusal = nullptr;
  if (session_->queued_bytes > server_->options().max_request_bytes) {
    refusal = "ERR the transaction is larger than a request may be";
  } else if (!queued_share_.Set(session_->queued_bytes) || !Enqueue(request)) {
    refusal = "OOM not enough memory for the transaction";
  }
  if (refusal != nullptr) {
    session_->multi_failed = true;
    // Its commands will not run.
    session_->queued.clear();
    queued_share_.Set(0);
    if (!silent) reply_->Error(refusal);
    return;
  }
  session_->queued_commands.store(static_cast<int64_t>(session_->queued.size()),
                                  std::memory_order_relaxed);
  if (!silent) reply_->Simple("QUEUED");
}

bool Executor::Enqueue(const Arguments& request) {
  try {
    session_->queued.emplace_back(request.begin(), request.end());
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void Executor::LockKeys(const std::function<void()>& add_keys) {
  for (;;) {
    session_->ns = server_->keyspace().NamespaceOf(session_->database);
    add_keys();
    locks_.Lock();
    // A FLUSHALL may have come before the lock.
    if (session_->ns == server_->keyspace().NamespaceOf(session_->database)) return;
    locks_.Unlock();
  }
}

void Executor::Prefetch(Transaction& transaction, std::span<const Arguments> requests,
                        std::span<const Admitted> admitted, uint32_t flag) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < requests.size(); ++i) {
    const Command& command = *admitted[i].command;
    if (!command.Is(flag)) continue;
    ForEachKey(command, requests[i],
               [&](std::string_view key) { keys.push_back(EntryKey(session_->ns, key)); });
  }
  transaction.Prefetch(std::move(keys), max_read_run_);
}

void Executor::RunOne(const Command& command, const Arguments& request, Transaction& transaction,
                      BlockedOn* blocked) {
  const ReplyWriter::Mark mark = reply_->mark();
  const size_t size = reply_->size();
  session_->skip_reply = std::exchange(session_->skip_next_reply, false);
  Call call{command, request, transaction, *reply_, *session_, *server_, blocked};
  const uint64_t room = std::max(server_->keyspace().memory().left(), MemoryShare::kFree);
  reply_->set_limit(size + std::min<uint64_t>(room, server_->options().max_reply_bytes));
  // What a client sizes is counted before it is made; this is for what was not. The store itself
  // throws nothing.
  try {
    command.run(call);
  } catch (const std::bad_alloc&) {
    transaction.Fail(Status::MemoryLimit("no memory for the command"));
  } catch (const std::length_error&) {
    transaction.Fail(Status::MemoryLimit("no memory for the command"));
  }
  if (reply_->overflowed() || !reply_share_.Set(reply_->size())) [[unlikely]] {
    transaction.Fail(Status::MemoryLimit(room < server_->options().max_reply_bytes
                                             ? "not enough memory for so large a reply"
                                             : "the reply is larger than it may be"));
  }
  if (!transaction.status().ok()) [[unlikely]] {
    reply_->Rewind(mark);
    reply_->Error("OOM " + transaction.status().ToString());
    // The reads behind it are not its run's.
    if (!command.Is(kWrite) && !session_->in_exec) transaction.Forgive();
  }
  uint64_t hits, misses;
  transaction.TakeLookups(&hits, &misses);
  if (command.Is(kRead)) server_->stats().AddLookups(hits, misses);
  if (session_->in_exec) {
    // The reply of EXEC has an element for each command, come what may of CLIENT REPLY.
    if (reply_->size() == size) reply_->Ok();
  } else if ((session_->skip_reply || session_->replies_off) && !command.Is(kPushes)) {
    reply_->Rewind(mark);
  }
}

void Executor::Note(const Command& command, const Arguments& request, uint64_t begin_nanos,
                    uint64_t end_nanos) {
  server_->stats().AddLatency(command.Is(kWrite), end_nanos - begin_nanos);
  server_->slow_log().Note(*session_, request, end_nanos - begin_nanos);
}

void Executor::RunReads(std::span<const Arguments> requests, std::span<const Admitted> admitted) {
  const uint64_t begin = fiber::now_nanos();
  session_->ns = server_->keyspace().NamespaceOf(session_->database);
  Transaction transaction(&server_->keyspace(), nullptr);
  for (const Admitted& one : admitted) {
    if (one.command->Is(kOneState)) transaction.HoldStill();
  }
  const bool prefetches = requests.size() > 1 || requests[0].size() > 2;
  if (prefetches) Prefetch(transaction, requests, admitted, kRead);
  uint64_t before = begin;
  for (size_t i = 0; i < requests.size(); ++i) {
    RunOne(*admitted[i].command, requests[i], transaction, nullptr);
    const uint64_t now = fiber::now_nanos();
    Note(*admitted[i].command, requests[i], i == 0 ? begin : before, now);
    before = now;
    if (reply_->size() >= kFlushBytes && i + 1 < requests.size() && !client_.flush()) {
      session_->close_after_reply = true;
      return;
    }
  }
  if (prefetches) {
    max_read_run_ = std::clamp(transaction.prefetched_at_once(), kMinReadRun, kMaxRun);
  }
}

rocksdb::WriteOptions Executor::write_options() const {
  rocksdb::WriteOptions options;
  options.sync = session_->durability == Durability::kDisk;
  return options;
}

bool Executor::Commit(Transaction& transaction, const ReplyWriter::Mark& mark, size_t replies,
                      bool removes) {
  DiskReserve& disk = server_->disk();
  Status s;
  if (disk.full() && transaction.write_bytes() > disk.most_bytes()) [[unlikely]] {
    s = Status::NoSpace("the disk is full, and this would write too much");
  } else {
    if (session_->durability == Durability::kMemory) client_.flush_now();
    s = transaction.Commit(write_options(), [&](const Status& failure) {
      disk.NoteFailure(failure);
      return removes && failure.IsNoSpace() && disk.MakeRoom();
    });
  }
  if (s.ok()) {
    if (disk.full()) disk.NoteRemoval();
    return true;
  }
  server_->stats().AddFailedWrite();
  server_->log().Error("a write failed", {{"error", s.ToString()}});
  if (session_->durability == Durability::kMemory) return false;
  reply_->Rewind(mark);
  for (size_t i = 0; i < replies && !session_->replies_off; ++i) {
    reply_->Error("ERR the write failed: " + s.ToString());
  }
  return false;
}

size_t Executor::RunWrites(std::span<const Arguments> requests,
                           std::span<const Admitted> admitted) {
  const uint64_t begin = fiber::now_nanos();
  LockKeys([&] {
    for (size_t i = 0; i < requests.size(); ++i) {
      if (admitted[i].command->Is(kWritesAllKeys)) locks_.AddAll();
      ForEachKey(*admitted[i].command, requests[i],
                 [&](std::string_view key) { locks_.Add(session_->ns, key); });
    }
  });
  size_t count = requests.size();
  const ReplyWriter::Mark mark = reply_->mark();
  const bool skip_reply = session_->skip_next_reply;
  while (!TryWrites(requests, admitted, &count)) {
    reply_->Rewind(mark);
    session_->skip_next_reply = skip_reply;
  }
  locks_.Unlock();
  locks_.Settle();
  const uint64_t end = fiber::now_nanos();
  for (size_t i = 0; i < count; ++i) {
    Note(*admitted[i].command, requests[i], begin, end);
  }
  return count;
}

bool Executor::TryWrites(std::span<const Arguments> requests, std::span<const Admitted> admitted,
                         size_t* count) {
  Transaction transaction(&server_->keyspace(), &locks_);
  Prefetch(transaction, requests.first(*count), admitted.first(*count), kReadsEntries);
  const ReplyWriter::Mark mark = reply_->mark();
  const size_t size = reply_->size();
  bool removes = true;
  size_t i = 0;
  while (i < *count) {
    RunOne(*admitted[i].command, requests[i], transaction, nullptr);
    removes = removes && admitted[i].command->Is(kRemoves);
    ++i;
    if (!transaction.status().ok()) {
      if (*count == 1) return true;  // it has its error
      // Those before it without it, or it alone.
      *count = std::max<size_t>(i - 1, 1);
      return false;
    }
    // Words that take little may make values that do not, and replies.
    if (transaction.write_bytes() + (reply_->size() - size) > kMaxRunBytes) break;
  }
  *count = i;
  Commit(transaction, mark, i, removes);
  return true;
}

void Executor::RunAlone(const Arguments& request, const Command& command) {
  const uint64_t begin = fiber::now_nanos();
  session_->last_subcommand.store(&CommandPermissions().Of(command, request),
                                  std::memory_order_relaxed);
  session_->ns = server_->keyspace().NamespaceOf(session_->database);
  if (command.name == "multi" || command.name == "exec" || command.name == "discard" ||
      command.name == "watch" || command.name == "unwatch" || command.name == "reset") {
    RunInTransaction(request, command);
  } else {
    Transaction transaction(&server_->keyspace(), nullptr);
    RunOne(command, request, transaction, nullptr);
  }
  Note(command, request, begin, fiber::now_nanos());
}

void Executor::RunInTransaction(const Arguments& request, const Command& command) {
  const ReplyWriter::Mark mark = reply_->mark();
  const bool silent = command.name != "reset" && TakeSilence();
  if (command.name == "multi") {
    if (session_->in_multi) {
      reply_->Error("ERR MULTI calls can not be nested");
    } else {
      session_->in_multi = true;
      session_->queued_commands.store(0, std::memory_order_relaxed);
      reply_->Ok();
    }
  } else if (command.name == "exec") {
    if (session_->in_multi) {
      Exec();
    } else {
      reply_->Error("ERR EXEC without MULTI");
    }
  } else if (command.name == "discard") {
    if (session_->in_multi) {
      Discard();
      reply_->Ok();
    } else {
      reply_->Error("ERR DISCARD without MULTI");
    }
  } else if (command.name == "watch") {
    if (session_->in_multi) {
      reply_->Error("ERR WATCH inside MULTI is not allowed");
    } else {
      Watch(request);
    }
  } else if (command.name == "unwatch") {
    Unwatch();
    reply_->Ok();
  } else {
    Discard();
    Transaction transaction(&server_->keyspace(), nullptr);
    RunOne(command, request, transaction, nullptr);
    return;
  }
  if (silent || session_->replies_off) reply_->Rewind(mark);
}

void Executor::Watch(const Arguments& request) {
  for (size_t i = 1; i < request.size(); ++i) {
    const bool again = std::any_of(
        session_->watched.begin(), session_->watched.end(),
        [&](const auto& one) { return one.ns == session_->ns && one.key == request[i]; });
    if (again) continue;
    server_->keyspace().locks().Watch(session_->ns, request[i], &session_->watcher);
    Transaction transaction(&server_->keyspace(), nullptr);
    Entry entry;
    PinnableSlice bytes;
    const Status s = transaction.Find(session_->ns, request[i], &entry, &bytes);
    session_->watched.push_back(
        {session_->ns, std::string(request[i]), s.ok() ? entry.expires_at : 0});
    if (!s.ok() && !s.IsNotFound()) {
      reply_->Error("ERR " + s.ToString());
      return;
    }
  }
  reply_->Ok();
}

void Executor::Unwatch() {
  for (const Session::Watched& one : session_->watched) {
    server_->keyspace().locks().Unwatch(one.ns, one.key, &session_->watcher);
  }
  session_->watched.clear();
  session_->watcher.changed.store(false, std::memory_order_relaxed);
}

bool Executor::WatchedHaveChanged() {
  if (session_->watcher.changed.load(std::memory_order_acquire)) return true;
  const uint64_t now = server_->keyspace().NowMillis();
  return std::any_of(session_->watched.begin(), session_->watched.end(), [now](const auto& one) {
    return one.expires_at != 0 && one.expires_at <= now;
  });
}

void Executor::Exec() {
  if (session_->multi_failed) {
    Discard();
    reply_->Error("EXECABORT Transaction discarded because of previous errors.");
    return;
  }
  std::vector<std::vector<std::string_view>> words;
  std::vector<const Command*> commands;
  for (const Session::Words& one : session_->queued) {
    words.emplace_back(one.begin(), one.end());
    commands.push_back(FindCommand(one[0]));
  }
  bool all = false, removes = true;
  for (const Command* const command : commands) {
    removes = removes && (!command->Is(kWrite) || command->Is(kRemoves));
    // What changes the database that the following names are of needs all of them, too.
    all = all || command->Is(kWritesAllKeys) || command->name == "select";
  }
  if (server_->disk().full() && !removes) {
    Discard();
    reply_->Error("EXECABORT Transaction discarded because of: " + std::string(kDiskFull));
    return;
  }
  LockKeys([&] {
    if (all) locks_.AddAll();
    for (size_t i = 0; i < words.size(); ++i) {
      ForEachKey(*commands[i], words[i],
                 [&](std::string_view key) { locks_.Add(session_->ns, key); });
    }
    for (const Session::Watched& one : session_->watched) locks_.Add(one.ns, one.key);
  });
  const bool changed = WatchedHaveChanged();
  const ReplyWriter::Mark mark = reply_->mark();
  if (changed) {
    reply_->NullArray();
  } else {
    session_->in_multi = false;
    session_->in_exec = true;
    Transaction transaction(&server_->keyspace(), &locks_);
    reply_->Array(words.size());
    for (size_t i = 0; i < words.size() && transaction.status().ok(); ++i) {
      // Its rights may have gone since, or go with one of these.
      if (session_->acl_generation != server_->acl().generation()) RefreshRights();
      std::string denial;
      if (!session_->authenticated) denial = "this user is no more";
      if (!session_->unrestricted) denial = Denial(*commands[i], words[i], "multi");
      if (denial.empty()) {
        RunOne(*commands[i], words[i], transaction, nullptr);
      } else {
        reply_->Error(
            "NOPERM ACLs rules changed between the moment the transaction was accumulated and the "
            "EXEC call. This command is no longer allowed for the following reason: " +
            denial);
      }
    }
    session_->in_exec = false;
    if (!transaction.status().ok()) {
      reply_->Rewind(mark);
      reply_->Error("OOM nothing of the transaction was done: " + transaction.status().ToString());
    } else if (Commit(transaction, mark, 1, removes)) {
      for (const Session::Message& one : session_->to_publish) {
        server_->pubsub().Publish(one.audience, one.channel, one.text);
      }
    }
    session_->to_publish.clear();
  }
  locks_.Unlock();
  locks_.Settle();
  Discard();
}

}  // namespace cairn::server
