#include "sim/serializability.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace cairn::sim {

namespace {

using Outcome = TransactionRecord::Outcome;

bool IsPrefix(const TokenList& shorter, const TokenList& longer) {
  return shorter.size() <= longer.size() &&
         std::equal(shorter.begin(), shorter.end(), longer.begin());
}

std::string Name(uint32_t id) { return "transaction " + std::to_string(id); }

const TokenList& ListIn(const Lists& lists, const std::string& key) {
  static const TokenList& none = *new TokenList;
  const auto found = lists.find(key);
  return found == lists.end() ? none : found->second;
}

bool IsThere(const TransactionRecord::Append& append, const Lists& lists) {
  const TokenList& found = ListIn(lists, append.key);
  return std::find(found.begin(), found.end(), append.token) != found.end();
}

bool IsThere(const TransactionRecord& record, const Lists& lists) {
  return !record.appends.empty() && IsThere(record.appends[0], lists);
}

class Checker {
 public:
  Checker(const Lists& before, const std::vector<TransactionRecord>& records,
          const Restart& restart)
      : before_(before), records_(records), restart_(restart) {
    for (size_t i = 0; i < records.size(); ++i) index_[records[i].id] = i;
    in_order_.resize(records.size());
    present_.resize(records.size());
    edges_.resize(records.size());
  }

  std::string Check() {
    FindOrders();
    CheckOrders();
    CheckPresence();
    CheckReads();
    AddRealTime();
    FindCircle();
    return wrong_;
  }

 private:
  // The appends of one transaction to one list, [from, to).
  struct Group {
    size_t record;
    size_t from, to;
  };
  struct Edge {
    size_t to;
    const char* why;
    std::string key;
  };

  bool IsWrong(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
    return false;
  }

  // Of each key the longest list that was seen, of which all others are the beginning.
  void FindOrders() {
    orders_ = before_;
    for (const TransactionRecord& record : records_) {
      for (const auto& append : record.appends) orders_[append.key];
      for (const auto& read : record.reads) Lengthen(read.key, read.list);
    }
    for (const auto& [key, list] : restart_.lists) Lengthen(key, list);
    for (const TransactionRecord& record : records_) {
      for (const auto& read : record.reads) {
        if (IsPrefix(read.list, orders_[read.key])) continue;
        IsWrong(Name(record.id) + " reads " + read.key + " = " + TextOf(read.list) +
                ", which no other saw, but " + TextOf(orders_[read.key]));
      }
    }
    for (const auto& [key, list] : before_) {
      if (IsPrefix(list, orders_[key])) continue;
      IsWrong(key + " began with " + TextOf(list) + ", and is then " + TextOf(orders_[key]));
    }
    for (const auto& [key, order] : orders_) {
      const TokenList& found = ListIn(restart_.lists, key);
      if (IsPrefix(found, order)) continue;
      IsWrong("after the restart " + key + " = " + TextOf(found) + ", before it was " +
              TextOf(order));
    }
  }
  void Lengthen(const std::string& key, const TokenList& list) {
    TokenList& order = orders_[key];
    if (list.size() > order.size()) order = list;
  }

  // Whole transactions one after the other, of those that were committed.
  void CheckOrders() {
    for (const auto& [key, order] : orders_) {
      for (size_t at = ListIn(before_, key).size(); at < order.size() && wrong_.empty();) {
        const uint32_t id = order[at].transaction;
        const auto found = index_.find(id);
        if (found == index_.end()) {
          IsWrong(key + " has something of " + Name(id) + ", which is not of this life");
          return;
        }
        const TransactionRecord& record = records_[found->second];
        if (record.outcome == Outcome::kAborted) {
          IsWrong(key + " has something of " + Name(id) +
                  ", which was not committed: " + TextOf(order));
        }
        const Group group = {found->second, at, at + AppendsTo(record, key).size()};
        if (!IsPrefix(AppendsTo(record, key), TokenList(order.begin() + Offset(at), order.end())) ||
            group.from == group.to) {
          IsWrong(key + " has " + Name(id) + " in part: " + TextOf(order));
          return;
        }
        groups_[key].push_back(group);
        in_order_[found->second] = true;
        at = group.to;
      }
    }
  }
  static std::ptrdiff_t Offset(size_t at) { return static_cast<std::ptrdiff_t>(at); }
  static TokenList AppendsTo(const TransactionRecord& record, const std::string& key) {
    TokenList list;
    for (const auto& append : record.appends) {
      if (append.key == key) list.push_back(append.token);
    }
    return list;
  }

  // A transaction survived as a whole or not at all, and with it all that came before it.
  void CheckPresence() {
    uint64_t last_begin = 0;
    for (size_t i = 0; i < records_.size(); ++i) {
      const TransactionRecord& record = records_[i];
      if (record.appends.empty()) continue;
      present_[i] = IsThere(record, restart_.lists);
      for (const auto& append : record.appends) {
        if (IsThere(append, restart_.lists) != present_[i]) {
          IsWrong("after the restart " + Name(record.id) + " is there in part: " +
                  record.appends[0].key + (present_[i] ? " has it, " : " has it not, ") +
                  append.key + (present_[i] ? " has not" : " has"));
        }
      }
      if (present_[i]) last_begin = std::max(last_begin, record.begin);
    }
    for (size_t i = 0; i < records_.size(); ++i) {
      const TransactionRecord& record = records_[i];
      if (record.outcome != Outcome::kCommitted || record.appends.empty() || present_[i]) continue;
      if (restart_.clean || record.synced || record.end < restart_.durable) {
        IsWrong("after the restart " + Name(record.id) + " is gone, which was committed" +
                (restart_.clean ? " before the close" : " and durable") + "; it wrote " +
                record.appends[0].key);
      } else if (record.end < last_begin) {
        IsWrong("after the restart " + Name(record.id) +
                " is gone, but one that began after its end is there");
      }
    }
  }

  // Edges between those that wrote a key, and those that read it.
  void CheckReads() {
    for (const auto& [key, groups] : groups_) {
      for (size_t i = 1; i < groups.size(); ++i) {
        AddEdge(groups[i - 1].record, groups[i].record, "was overwritten by", key);
      }
    }
    for (size_t i = 0; i < records_.size() && wrong_.empty(); ++i) {
      // Of those that were not committed only what they read had to be something that was there.
      const bool counts = records_[i].outcome == Outcome::kCommitted || in_order_[i];
      for (const auto& read : records_[i].reads) AddReads(i, read, counts);
    }
  }
  void AddReads(size_t reader, const TransactionRecord::Read& read, bool counts) {
    const size_t length = read.list.size();
    const size_t first = ListIn(before_, read.key).size();
    if (length < first) {
      IsWrong(Name(records_[reader].id) + " reads " + read.key + " = " + TextOf(read.list) +
              ", older than this life");
      return;
    }
    for (const Group& group : groups_[read.key]) {
      if (group.from < length && length < group.to) {
        IsWrong(Name(records_[reader].id) + " reads " + read.key + " = " + TextOf(read.list) +
                ", with " + Name(records_[group.record].id) + " in part");
      }
      if (!counts) continue;
      if (group.to == length) AddEdge(group.record, reader, "was read by", read.key);
      if (group.from == length) AddEdge(reader, group.record, "did not see", read.key);
    }
  }
  void AddEdge(size_t from, size_t to, const char* why, const std::string& key) {
    if (from == to) return;
    edges_[from].push_back({to, why, key});
    if (records_[from].appends.empty() || records_[to].appends.empty()) return;
    if (present_[to] && !present_[from]) {
      IsWrong("after the restart " + Name(records_[to].id) + " is there, but not " +
              Name(records_[from].id) + ", which " + why + " it (" + key + ")");
    }
  }

  // Whose commit was acknowledged before another began comes before it: by way of a chain of
  // moments, or there would be an edge for each pair.
  void AddRealTime() {
    std::vector<std::pair<uint64_t, size_t>> ends;
    for (size_t i = 0; i < records_.size(); ++i) {
      if (records_[i].outcome == Outcome::kCommitted) ends.emplace_back(records_[i].end, i);
    }
    std::sort(ends.begin(), ends.end());
    const size_t first = records_.size();
    edges_.resize(first + ends.size());
    for (size_t i = 0; i < ends.size(); ++i) {
      edges_[ends[i].second].push_back({first + i, "ended before", ""});
      if (i + 1 < ends.size()) edges_[first + i].push_back({first + i + 1, "", ""});
    }
    for (size_t i = 0; i < records_.size(); ++i) {
      if (records_[i].outcome != Outcome::kCommitted && !in_order_[i]) continue;
      const auto after = std::lower_bound(ends.begin(), ends.end(),
                                          std::pair<uint64_t, size_t>(records_[i].begin, 0));
      if (after == ends.begin()) continue;
      edges_[first + static_cast<size_t>(after - ends.begin()) - 1].push_back({i, "", ""});
    }
  }

  // Depth first, without recursion: a chain may be long.
  void FindCircle() {
    enum : char { kNew, kOnPath, kDone };
    std::vector<char> color(edges_.size(), kNew);
    std::vector<std::pair<size_t, size_t>> path;  // node, and its next edge
    for (size_t root = 0; root < edges_.size() && wrong_.empty(); ++root) {
      if (color[root] != kNew) continue;
      path.emplace_back(root, 0);
      color[root] = kOnPath;
      while (!path.empty() && wrong_.empty()) {
        auto& [node, next] = path.back();
        if (next == edges_[node].size()) {
          color[node] = kDone;
          path.pop_back();
          continue;
        }
        const size_t to = edges_[node][next++].to;
        if (color[to] == kOnPath) TellCircle(path, to);
        if (color[to] != kNew) continue;
        color[to] = kOnPath;
        path.emplace_back(to, 0);
      }
    }
  }
  void TellCircle(const std::vector<std::pair<size_t, size_t>>& path, size_t from) {
    std::string text = "no order explains these:";
    size_t at = 0;
    while (path[at].first != from) ++at;
    for (; at < path.size(); ++at) {
      const auto& [node, next] = path[at];
      if (node < records_.size()) text += " " + Name(records_[node].id);
      const Edge& edge = edges_[node][next - 1];
      if (*edge.why != 0) text += std::string(", which ") + edge.why;
      if (!edge.key.empty()) text += " (" + edge.key + ")";
    }
    IsWrong(text + " " + (from < records_.size() ? Name(records_[from].id) : "the first"));
  }

  const Lists& before_;
  const std::vector<TransactionRecord>& records_;
  const Restart& restart_;
  std::map<uint32_t, size_t> index_;
  Lists orders_;
  std::map<std::string, std::vector<Group>> groups_;  // of orders_, from where before_ ends
  std::vector<bool> in_order_;                        // something of it is in orders_
  std::vector<bool> present_;                         // after the restart
  std::vector<std::vector<Edge>> edges_;  // of records; then of the moments when one ended
  std::string wrong_;
};

}  // namespace

std::string TextOf(const Token& token) {
  return std::to_string(token.transaction) + "." + std::to_string(token.number);
}

std::string TextOf(const TokenList& list) {
  std::string text;
  for (const Token& token : list) text += (text.empty() ? "" : ",") + TextOf(token);
  return text;
}

std::optional<TokenList> ListOf(const std::string& text) {
  TokenList list;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    Token token;
    auto [dot, error] = std::from_chars(at, end, token.transaction);
    if (error != std::errc() || dot == end || *dot != '.') return std::nullopt;
    auto [comma, second_error] = std::from_chars(dot + 1, end, token.number);
    if (second_error != std::errc() || (comma != end && *comma != ',')) return std::nullopt;
    list.push_back(token);
    at = comma == end ? end : comma + 1;
  }
  return list;
}

std::string CheckPrepared(const std::vector<TransactionRecord>& records, const Restart& restart,
                          const std::set<uint32_t>& prepared) {
  std::set<uint32_t> unknown = prepared;
  for (const TransactionRecord& record : records) {
    const bool waits = unknown.erase(record.id) > 0;
    const bool is_there = IsThere(record, restart.lists);
    if (waits && !record.named) return Name(record.id) + " is prepared, and never was";
    if (waits && is_there) return Name(record.id) + " is prepared, and what it wrote is there";
    if (record.prepared == 0) continue;
    const bool aborted = record.outcome == Outcome::kAborted || record.rolled_back;
    if (!record.decided && is_there) return Name(record.id) + " was never committed, and is there";
    if (waits && restart.clean && record.decided && record.outcome != Outcome::kUnknown) {
      return Name(record.id) + " is prepared after a close, though it was decided";
    }
    const bool durable =
        restart.clean || record.prepare_synced || record.prepared < restart.durable;
    if (durable && !waits && !is_there && !aborted && !record.appends.empty()) {
      return Name(record.id) + " was prepared, and is neither that nor committed";
    }
  }
  return unknown.empty() ? "" : Name(*unknown.begin()) + " is prepared, which is not of this life";
}

std::string CheckTransactions(const Lists& before, const std::vector<TransactionRecord>& records,
                              const Restart& restart) {
  return Checker(before, records, restart).Check();
}

}  // namespace cairn::sim
