// Runs the requests of one client in their order, as few at a time as need be and as many as can
// be: reads that follow one another become one MultiGet of their keys' entries, writes that follow
// one another one WriteBatch under the stripes of all their keys, MULTI ... EXEC likewise.
//
// One for each connection, used by its fiber alone.

#ifndef CAIRN_SERVER_COMMANDS_EXECUTOR_H_
#define CAIRN_SERVER_COMMANDS_EXECUTOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rocksdb/options.h"
#include "server/commands/command.h"
#include "server/keyspace/lock_table.h"
#include "server/keyspace/transaction.h"
#include "server/resp/reply.h"
#include "server/state/session.h"

namespace cairn::server {

class Executor {
 public:
  // What the connection does for it.
  struct Client {
    // SUSPENDS. Sends what has been written. False: the client is gone.
    std::function<bool()> flush;
    // Sends what it can without waiting.
    std::function<void()> flush_now;
    // Whether the client has hung up while a command waits.
    std::function<bool()> gone;
  };

  // All borrowed.
  Executor(ServerState* server, Session* session, ReplyWriter* reply, Client client);
  // SUSPENDS. Ends a transaction that the client leaves behind.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // SUSPENDS. Ends early when the session is to be closed.
  void Run(std::span<const Arguments> requests);

  // When a run has thrown: the keys that it holds are free again.
  void LetGo() { locks_.Unlock(); }
  // What was replied so far is sent.
  void ReplySent() { reply_share_.Set(0); }

  // Forgets MULTI and WATCH, as RESET and DISCARD do.
  void Discard();

 private:
  struct Admitted {
    const Command* command = nullptr;
    std::string error;  // if there is no command
  };

  Admitted Admit(const Arguments& request);
  // Takes over changes of the session's user, and of what it may do.
  void RefreshRights();
  // Why the user may not do this, for who asked and into ACL LOG; empty: it may.
  std::string Denial(const Command& command, const Arguments& request, const char* context);
  void Queue(const Arguments& request);
  bool Enqueue(const Arguments& request);
  void RunReads(std::span<const Arguments> requests, std::span<const Admitted> admitted);
  // Under one set of locks, as one batch. Returns how many it has run: fewer where they write much.
  size_t RunWrites(std::span<const Arguments> requests, std::span<const Admitted> admitted);
  // The first *count, or as many of them. False: together they need more memory than there is:
  // nothing was done, replies were written in vain, and *count says how many to try again.
  bool TryWrites(std::span<const Arguments> requests, std::span<const Admitted> admitted,
                 size_t* count);
  void RunAlone(const Arguments& request, const Command& command);
  // blocking.cc
  struct BlockedRun;
  enum class Look { kEnded, kAgain, kWaits };
  void RunBlocking(const Arguments& request, const Command& command);
  Look LookAtKeys(BlockedRun* run);
  bool TryBlocking(BlockedRun* run);
  bool WaitForCall(BlockedRun* run);
  bool MustGiveWay(const BlockedRun& run);
  void LeaveQueues(BlockedRun* run);
  void RunInTransaction(const Arguments& request, const Command& command);
  void Exec();
  void Watch(const Arguments& request);
  void Unwatch();
  bool WatchedHaveChanged();

  // Takes the stripes that `add_keys` adds, under the session's namespace as it then is.
  void LockKeys(const std::function<void()>& add_keys);
  void Prefetch(Transaction& transaction, std::span<const Arguments> requests,
                std::span<const Admitted> admitted, uint32_t flag);
  // Runs one and takes care of CLIENT REPLY and of SLOWLOG. `wait`: how the command may block.
  void RunOne(const Command& command, const Arguments& request, Transaction& transaction,
              BlockedOn* blocked);
  // Whether CLIENT REPLY silences the reply that is due now.
  bool TakeSilence() {
    return std::exchange(session_->skip_next_reply, false) || session_->replies_off;
  }
  void Note(const Command& command, const Arguments& request, uint64_t begin_nanos,
            uint64_t end_nanos);
  // Commits, and turns the replies behind `mark` into errors if that fails. `removes`: all of it
  // makes room, and goes on when the disk is full.
  bool Commit(Transaction& transaction, const ReplyWriter::Mark& mark, size_t replies,
              bool removes);
  rocksdb::WriteOptions write_options() const;

  ServerState* const server_;
  Session* const session_;
  ReplyWriter* const reply_;
  const Client client_;
  LockSet locks_;
  MemoryShare queued_share_;  // of MULTI
  MemoryShare reply_share_;
  std::vector<Admitted> admitted_;
  // How many reads may run together: fewer where the values were large, because all of them are in
  // memory at once.
  size_t max_read_run_;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_EXECUTOR_H_
