// A hash, set or sorted set as one command reads and changes it: its entry and its elements, which
// are pairs of their own (encoding.h). What the three types have in common; the families of
// commands (hashes.cc, sets.cc ...) use it.
//
// A command opens the collection, reads what it must know, and only then writes: Put() and Erase()
// of elements, and Finish() with the number of elements that there now are.

#ifndef CAIRN_SERVER_COMMANDS_COLLECTION_H_
#define CAIRN_SERVER_COMMANDS_COLLECTION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fiber/runtime.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "server/commands/command.h"
#include "server/commands/walk.h"

namespace cairn::server {

class Collection {
 public:
  // All borrowed.
  Collection(Call& call, std::string_view key, Type type) : call_(call), key_(key), type_(type) {}
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;

  // Looks the key up. False: it was replied that the key has another type, or the store failed.
  [[nodiscard]] bool Open() { return OpenAs(type_); }
  // The same for a command that may wait for the key (Call::FindAwaited()).
  [[nodiscard]] bool OpenAwaited();
  // As Open(), but that a collection of another type will do, too.
  [[nodiscard]] bool OpenAs(Type other);

  bool exists() const { return exists_; }
  uint64_t count() const { return exists_ ? entry_.count : 0; }
  uint64_t id() const { return entry_.id; }
  const Entry& entry() const { return entry_; }
  std::string_view key() const { return key_; }
  Call& call() const { return call_; }

  // The value of an element. NotFound also if there is no collection.
  rocksdb::Status Get(std::string_view element, rocksdb::PinnableSlice* value) const;

  // SUSPENDS. Calls `use(word, value)` for words first, first + step ... of the command, which name
  // elements; the value is null if there is no such element. Reads many at once.
  template <class Use>
  rocksdb::Status ForEachNamed(size_t first, size_t step, const Use& use) const {
    const size_t end = call_.size();
    size_t at_once = kMinReadAtOnce;
    for (size_t begin = first; begin < end;) {
      const size_t last = std::min(end, begin + at_once * step);
      const bool prefetched = exists_ && begin + step < last;
      if (prefetched) Prefetch(begin, last, step, &at_once);
      for (; begin < last; begin += step) {
        rocksdb::PinnableSlice value;
        const rocksdb::Status s = Get(call_[begin], &value);
        if (!s.ok() && !s.IsNotFound()) return s;
        use(call_[begin], s.ok() ? &value : nullptr);
      }
      if (prefetched) call_.transaction.ForgetPrefetched();
      if (begin < end) fiber::yield();
    }
    return rocksdb::Status::OK();
  }
  // SUSPENDS. Which of these words are elements, or are none; each once.
  rocksdb::Status Named(size_t first, size_t step, bool present,
                        std::vector<std::string_view>* words) const;

  // SUSPENDS. WalkElements() over all from `from` on.
  template <class Take>
  rocksdb::Status Walk(std::string_view from, const Take& take) const {
    if (!exists_) return rocksdb::Status::OK();
    return WalkElements(call_.transaction, ElementPrefix(entry_.id), from, take);
  }

  // Changes. The collection is made if there is none.
  void Put(std::string_view element, std::string_view value);
  void Erase(std::string_view element);
  // The last of a command's changes: there are `count` elements now. Without any the key is
  // deleted, and so are all elements that are still there.
  void Finish(uint64_t count);
  // Instead of what the key holds, of whatever type: what `fill(&count)` puts here and counts; it
  // returns a Status. Replies with the count, or with the error: then nothing has changed.
  // SUSPENDS.
  template <class Fill>
  void ReplaceBy(const Fill& fill) {
    Entry old;
    rocksdb::PinnableSlice bytes;
    const Found found = call_.Find(key_, &old, &bytes);
    if (found == Found::kFailed) return;
    Replace(found == Found::kYes, old);
    uint64_t count = 0;
    const rocksdb::Status s = fill(&count);
    if (!s.ok()) {
      // What was put is under a number that no entry has: nobody sees it.
      call_.Fail(s);
      return;
    }
    Finish(count);
    call_.reply.Integer(static_cast<int64_t>(count));
  }

 protected:
  // Gives the collection a number, if it has none.
  void Make();

  Call& call_;

 private:
  // An empty collection, to be filled and finished. `old` is what was there, if `there`.
  void Replace(bool there, const Entry& old);

  // As many at once as do not hold much memory.
  static constexpr size_t kMinReadAtOnce = 16;
  static constexpr size_t kMaxReadAtOnce = 512;
  static constexpr size_t kMaxReadBytes = 1 << 20;

  void Prefetch(size_t first, size_t last, size_t step, size_t* at_once) const;

  const std::string_view key_;
  const Type type_;
  bool exists_ = false;
  bool made_ = false;  // by this command: the entry is still to be put
  Entry entry_;
  bool replaces_ = false;
  Entry replaced_;
};

// SUSPENDS. Replies with as many elements as there turn out to be: `body(&count)` writes and counts
// them, and `header(count)` what stands before them.
template <class Header, class Body>
void ReplyCounted(Call& call, const Header& header, const Body& body) {
  const ReplyWriter::Mark begin = call.reply.mark();
  uint64_t count = 0;
  const rocksdb::Status s = body(&count);
  if (!s.ok()) {
    call.reply.Rewind(begin);
    call.Fail(s);
    return;
  }
  const ReplyWriter::Mark end = call.reply.mark();
  header(count);
  call.reply.MoveBefore(begin, end);
}

// The same with all elements of a collection: `write(element, value)` for each.
template <class Header, class Write>
void ReplyWhole(const Collection& collection, const Header& header, const Write& write) {
  ReplyCounted(collection.call(), header, [&](uint64_t* count) {
    return collection.Walk("", [&](std::string_view element, std::string_view value) {
      ++*count;
      write(element, value);
      return true;
    });
  });
}

// HSCAN, SSCAN, ZSCAN: key cursor [MATCH pattern] [COUNT n], in the order of the elements.
// `write(element, value)` replies with one, in so many words.
void ScanCollection(Call& call, Type type, size_t words,
                    const std::function<void(std::string_view, std::string_view)>& write);

// SUSPENDS. Calls `take(element, value)` for `count` elements by chance: each at most once, with
// count <= collection.count(); or, with `repeats`, each any number of times. (For fewer if the
// collection was deleted meanwhile.) All elements of a collection of up to about a thousand are
// equally likely; of a larger one nearly so, if their names are spread evenly.
using TakeElement = std::function<void(std::string_view element, std::string_view value)>;
rocksdb::Status ForRandomElements(const Collection& collection, uint64_t count, bool repeats,
                                  const TakeElement& take);

// SRANDMEMBER, HRANDFIELD and ZRANDMEMBER: key [count [option]]. `option`: the name of what asks
// for the values, too, which `write_value` then replies with; "" if there is none.
void ReplyRandomElements(Call& call, Type type, std::string_view option,
                         const std::function<void(std::string_view value)>& write_value);

// "numkeys key [key ...]" with numkeys at word `i`. False: an error was replied.
bool ParseKeyCount(Call& call, size_t i, size_t* keys);
// The same for Command::find_keys.
void AppendCountedKeys(Arguments arguments, size_t i, std::vector<size_t>* positions);
template <size_t kCountAt>
void FindCountedKeys(Arguments arguments, std::vector<size_t>* positions) {
  AppendCountedKeys(arguments, kCountAt, positions);
}

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_COLLECTION_H_
