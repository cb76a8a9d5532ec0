// Whether a history of transactions could have come about by running them one after the other, in
// an order that agrees with real time, and whether what a restart left of them is a beginning of
// it.
//
// Each value is a list, and each write appends a token of its own to one: so every read tells in
// which order those before it wrote, and nothing about the database's order has to be known
// (Kingsbury and Alvaro, "Elle: Inferring Isolation Anomalies from Experimental Observations", VLDB
// 2020). From that follow the dependencies: who wrote after whom, who read what of whom, and who
// wrote what another had not seen yet. Where they go around in a circle there is no such order.

#ifndef CAIRN_SIM_SERIALIZABILITY_H_
#define CAIRN_SIM_SERIALIZABILITY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/namespace.h"

namespace cairn::sim {

// What a transaction appends: which one, and the how-manieth of its appends.
struct Token {
  uint32_t transaction = 0;
  uint32_t number = 0;

  bool operator==(const Token&) const = default;
};

using TokenList = std::vector<Token>;
using Lists = std::map<std::string, TokenList>;  // by key

// As a value of the database, joined by commas. Nothing: it is no such list.
std::string TextOf(const TokenList& list);
std::string TextOf(const Token& token);
std::optional<TokenList> ListOf(const std::string& text);

struct TransactionRecord {
  struct Append {
    std::string key;
    Token token;
  };
  struct Read {
    std::string key;
    TokenList list;  // without what the transaction itself had appended
  };
  enum class Outcome {
    kUnknown,  // it failed, or never came back
    kCommitted,
    kAborted,
  };

  // For the database, if it has two phases.
  std::string Name() const { return "x" + std::to_string(id); }

  uint32_t id = 0;
  std::vector<Append> appends;
  std::vector<Read> reads;
  Outcome outcome = Outcome::kUnknown;
  uint64_t begin = 0;   // virtual nanoseconds
  uint64_t end = 0;     // of a commit that was acknowledged
  bool synced = false;  // the commit
  // Of two phases: when Prepare() was acknowledged (0: it was not), whether it was synced, and
  // whether a commit or a rollback was begun then.
  bool named = false;
  uint64_t prepared = 0;
  bool prepare_synced = false;
  bool decided = false;
  bool rolled_back = false;  // or was to be
};

// What a restart found.
struct Restart {
  Lists lists;
  bool clean = false;    // the database was closed: nothing may be missing
  uint64_t durable = 0;  // what was acknowledged before this is
};

// The first thing that is wrong with the transactions that a restart found prepared and not yet
// decided, by their ids; empty: nothing.
std::string CheckPrepared(const std::vector<TransactionRecord>& records, const Restart& restart,
                          const std::set<uint32_t>& prepared);

// The first thing that is wrong with the transactions of a life that began with the lists `before`;
// empty: nothing.
std::string CheckTransactions(const Lists& before, const std::vector<TransactionRecord>& records,
                              const Restart& restart);

}  // namespace cairn::sim

#endif  // CAIRN_SIM_SERIALIZABILITY_H_
