#include "sim/ledger.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/entity.h"

namespace cairn::sim {

namespace {

std::string Shown(const State& state, const std::string& key) {
  const auto found = state.find(key);
  if (found == state.end()) return "nothing";
  return '"' + Printable(found->second, 40) + "\" (" + std::to_string(found->second.size()) +
         " bytes)";
}

bool Same(const State& a, const State& b, const std::string& key) {
  const auto x = a.find(key);
  const auto y = b.find(key);
  if (x == a.end() || y == b.end()) return x == a.end() && y == b.end();
  return x->second == y->second;
}

}  // namespace

void Apply(const std::vector<Effect>& effects, State* state) {
  for (const Effect& effect : effects) {
    if (effect.value) {
      (*state)[effect.key] = *effect.value;
    } else {
      state->erase(effect.key);
    }
  }
}

void Ledger::Begin(std::vector<Effect> effects, uint64_t now, bool from_outside) {
  Apply(effects, &state_);
  writes_.push_back({std::move(effects), now, 0, false, from_outside});
}

void Ledger::Acknowledge(uint64_t now, bool synced) {
  writes_.back().end = std::max<uint64_t>(now, 1);
  writes_.back().synced = synced;
}

size_t Ledger::AllAcknowledged() const {
  size_t count = 0;
  for (size_t i = 0; i < writes_.size(); ++i) {
    if (writes_[i].end != 0) count = i + 1;
  }
  return count;
}

size_t Ledger::Durable(uint64_t durable_from) const {
  size_t count = 0;
  for (size_t i = 0; i < writes_.size(); ++i) {
    const Write& write = writes_[i];
    if (write.end != 0 && (write.synced || write.end <= durable_from)) count = i + 1;
  }
  return count;
}

bool Ledger::FitTo(const State& found, size_t least, Fit* fit, std::string* difference) const {
  State state = checked_;
  std::set<std::string> differing;
  for (const State* const one : {&std::as_const(state), &found}) {
    for (const auto& [key, value] : *one) {
      if (!Same(state, found, key)) differing.insert(key);
    }
  }
  bool fits = false;
  for (size_t count = 0;; ++count) {
    if (count == least && !differing.empty()) {
      *difference = std::to_string(writes_.size()) + " writes, of which the first " +
                    std::to_string(least) + " must be there; after those differ:";
      size_t told = 0;
      for (const std::string& key : differing) {
        if (++told > 5) break;
        *difference +=
            "\n  " + key + ": expected " + Shown(state, key) + ", found " + Shown(found, key);
      }
    }
    if (differing.empty() && count >= least) {
      if (!fits) fit->least = count;
      fit->most = count;
      fits = true;
    }
    if (count == writes_.size()) return fits;
    Apply(writes_[count].effects, &state);
    for (const Effect& effect : writes_[count].effects) {
      if (Same(state, found, effect.key)) {
        differing.erase(effect.key);
      } else {
        differing.insert(effect.key);
      }
    }
  }
}

bool Ledger::FitsButForALog(const State& found) const {
  State before = checked_;
  for (size_t count = 0;; ++count) {
    State state = before;
    for (size_t i = count; i < writes_.size(); ++i) {
      if (writes_[i].from_outside && writes_[i].end != 0) Apply(writes_[i].effects, &state);
    }
    if (state == found) return true;
    if (count == writes_.size()) return false;
    Apply(writes_[count].effects, &before);
  }
}

void Ledger::Restart(const State& found) {
  checked_ = found;
  state_ = found;
  writes_.clear();
}

}  // namespace cairn::sim
