// A server of interactive transactions: each connection is a session, which may have a transaction
// open between one line and the next for as long as it likes, with its keys locked. A session is a
// fiber, so that ten thousand of them that wait for each other's keys, or for their clients to
// think, take two threads.
//
//   transaction_server DIRECTORY [PORT [WORKERS]]
//
//   $ nc 127.0.0.1 7000
//   BEGIN            OK
//   LOCK alice       VALUE 100      (nobody else can change it now)
//   PUT alice 90     OK
//   PUT bob 110      OK
//   COMMIT           OK
//
// Other lines: GET key, DELETE key, ROLLBACK. Outside of a transaction each is one of its own. What
// a session leaves open when its connection ends is rolled back.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "fiber/net.h"
#include "fiber/runtime.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"

namespace {

using rocksdb::Status;

constexpr size_t kMostLine = 1 << 20;  // bytes

class Session {
 public:
  Session(rocksdb::TransactionDB* db, int socket) : db_(db), socket_(socket) {}

  // Until the client goes, or sends what is no line.
  void Serve() {
    char buffer[4096];
    while (true) {
      const ptrdiff_t size = fiber::net::recv(socket_, buffer, sizeof buffer);  // parks
      if (size <= 0) return;
      input_.append(buffer, static_cast<size_t>(size));
      size_t from = 0;
      for (size_t end; (end = input_.find('\n', from)) != std::string::npos; from = end + 1) {
        std::string line = input_.substr(from, end - from);
        if (line.ends_with('\r')) line.pop_back();
        const std::string reply = Answer(line) + "\n";
        if (fiber::net::send_all(socket_, reply.data(), reply.size()) < 0) return;
      }
      input_.erase(0, from);
      if (input_.size() > kMostLine) return;
    }
  }

 private:
  static std::string Word(std::string* line) {
    const size_t end = std::min(line->find(' '), line->size());
    std::string word = line->substr(0, end);
    line->erase(0, std::min(end + 1, line->size()));
    return word;
  }
  static std::string Told(const Status& s) { return s.ok() ? "OK" : "ERROR " + s.ToString(); }

  std::string Answer(std::string line) {
    const std::string command = Word(&line);
    if (command == "BEGIN") return Begin();
    if (command == "COMMIT" || command == "ROLLBACK") return End(command == "COMMIT");
    if (command != "GET" && command != "LOCK" && command != "PUT" && command != "DELETE") {
      return "ERROR BEGIN, GET key, LOCK key, PUT key value, DELETE key, COMMIT or ROLLBACK";
    }
    const bool alone = transaction_ == nullptr;
    if (alone) Begin();
    std::string reply = Do(command, Word(&line), line);
    if (!alone) return reply;
    const std::string end = End(!reply.starts_with("ERROR"));
    return end == "OK" ? reply : end;
  }

  std::string Begin() {
    if (transaction_ != nullptr) return "ERROR there is a transaction already";
    rocksdb::TransactionOptions options;
    options.deadlock_detect = true;
    transaction_.reset(db_->BeginTransaction(rocksdb::WriteOptions(), options));
    return "OK";
  }

  std::string End(bool commit) {
    if (transaction_ == nullptr) return "ERROR there is no transaction";
    const Status s = commit ? transaction_->Commit() : transaction_->Rollback();
    transaction_.reset();
    return Told(s);
  }

  // Within a transaction. Who needs a key that another session has locked waits here: the fiber is
  // parked, and its thread serves others.
  std::string Do(const std::string& command, const std::string& key, const std::string& value) {
    if (command == "PUT") return Told(transaction_->Put(key, value));
    if (command == "DELETE") return Told(transaction_->Delete(key));
    std::string found;
    const Status s = command == "GET"
                         ? transaction_->Get(rocksdb::ReadOptions(), key, &found)
                         : transaction_->GetForUpdate(rocksdb::ReadOptions(), key, &found);
    if (s.IsNotFound()) return "NONE";
    return s.ok() ? "VALUE " + found : Told(s);
  }

  rocksdb::TransactionDB* const db_;
  const int socket_;
  std::string input_;                                  // not yet answered
  std::unique_ptr<rocksdb::Transaction> transaction_;  // null: none is open
};

int Fail(const std::string& what) {
  std::fprintf(stderr, "transaction_server: %s\n", what.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: transaction_server DIRECTORY [PORT [WORKERS]]\n");
    return 2;
  }
  const auto port = static_cast<uint16_t>(argc > 2 ? std::atoi(argv[2]) : 7000);
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::TransactionDBOptions transactions;
  transactions.transaction_lock_timeout = 60'000;  // milliseconds
  rocksdb::TransactionDB* opened = nullptr;
  const Status s = rocksdb::TransactionDB::Open(options, transactions, argv[1], &opened);
  if (!s.ok()) return Fail(s.ToString());
  const std::unique_ptr<rocksdb::TransactionDB> db(opened);

  fiber::RuntimeOptions runtime_options;
  runtime_options.workers = argc > 3 ? std::max(1, std::atoi(argv[3])) : 2;
  fiber::Runtime runtime(runtime_options);
  const int listening = fiber::net::listen_on(fiber::net::Address::loopback_v4(port));
  if (listening < 0) return Fail("cannot listen on port " + std::to_string(port));
  fiber::net::Address address;
  fiber::net::local_address(listening, &address);
  std::printf("listening on %s\n", address.to_string().c_str());
  std::fflush(stdout);
  runtime.run([&] {
    while (true) {
      const int socket = fiber::net::accept(listening);
      if (socket < 0) {
        fiber::sleep_for(10'000'000);  // no descriptors, say
        continue;
      }
      fiber::net::set_nodelay(socket, true);
      fiber::spawn([&db, socket] {
        Session(db.get(), socket).Serve();
        fiber::net::close(socket);
      }).detach();
    }
  });
}
