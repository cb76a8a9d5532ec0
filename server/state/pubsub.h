// Publish and subscribe: who listens to which channels and patterns, and the queue of messages that
// each listener has.
//
// A publisher puts its message into the queues of those who listen and goes on: under the mutex of
// the channel, then that of each queue, and nothing is sent under either. A fiber of each
// listener's connection sends what its queue holds. Who takes less than comes in is dropped when
// its queue is full. A message is in memory once, however many listen.

#ifndef CAIRN_SERVER_STATE_PUBSUB_H_
#define CAIRN_SERVER_STATE_PUBSUB_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fiber/mutex.h"

namespace cairn::server {

// Names that SUBSCRIBE, PSUBSCRIBE and SSUBSCRIBE give.
enum class Audience : uint8_t { kChannel, kPattern, kShard };
inline constexpr size_t kAudiences = 3;

// One client as publishers see it. Push() is for anybody, `names` for its connection's fiber, the
// rest for the connection's two fibers: the one that runs its requests, and the one that sends what
// others publish.
class Subscriber {
 public:
  // What a client is sent: "*3\r\n..." as clients of version 2 get it. Those of version 3 get
  // another first byte.
  using Frame = std::shared_ptr<const std::string>;

  // `drop` ends the connection; it is called once, by a publisher, when more than `max_bytes` wait.
  Subscriber(size_t max_bytes, std::function<void()> drop)
      : max_bytes_(max_bytes), drop_(std::move(drop)) {}
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;

  // To what it listens.
  std::array<std::set<std::string, std::less<>>, kAudiences> names;

  // Never waits for the client.
  void Push(Frame frame);

  // What is pushed stays here until Release(): the client is to see a reply first.
  void Hold();
  // `version`: of the protocol, from the next frame on.
  void Release(int version);
  // SUSPENDS until there is something to send. False: it was closed.
  bool Wait();
  // Some of what is there, oldest first; nothing while it is held.
  void Take(std::vector<Frame>* frames, int* version);
  // What was taken needs no memory any more.
  void Sent(const std::vector<Frame>& frames);
  // All that is there, held or not.
  std::vector<Frame> TakeAll();
  // Nothing is pushed any more, and Wait() says so.
  void Close();
  // What waits for the client, in memory.
  size_t bytes();
  // Whether it was too slow.
  bool dropped();

 private:
  static size_t BytesOf(const Frame& frame);

  const size_t max_bytes_;
  const std::function<void()> drop_;
  fiber::Mutex mutex_;
  fiber::CondVar changed_;
  std::deque<Frame> frames_ FIBER_GUARDED_BY(mutex_);
  size_t bytes_ FIBER_GUARDED_BY(mutex_) = 0;  // also of those taken and not sent
  int version_ FIBER_GUARDED_BY(mutex_) = 2;
  bool held_ FIBER_GUARDED_BY(mutex_) = false;
  bool closed_ FIBER_GUARDED_BY(mutex_) = false;
  bool dropped_ FIBER_GUARDED_BY(mutex_) = false;
};

// Thread safe. A subscriber must have left everything before it is destroyed.
class PubSub {
 public:
  void Subscribe(Audience audience, std::string_view name, Subscriber* subscriber);
  void Unsubscribe(Audience audience, std::string_view name, Subscriber* subscriber);

  // Returns how many got it; who listens in several ways gets it as often. `audience`: kChannel,
  // which reaches patterns, too, or kShard.
  size_t Publish(Audience audience, std::string_view channel, std::string_view message);

  // How many would get it now.
  size_t Receivers(Audience audience, std::string_view channel);

  // Channels with listeners, patterns not counted.
  std::vector<std::string> Channels(Audience audience);
  // Those of the channel alone, without patterns.
  size_t Listeners(Audience audience, std::string_view channel);
  // How many different names somebody listens to.
  size_t count(Audience audience) const {
    return counts_[static_cast<size_t>(audience)].load(std::memory_order_relaxed);
  }

 private:
  using Listening = std::unordered_set<Subscriber*>;
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  struct alignas(64) Part {
    fiber::Mutex mutex;
    std::unordered_map<std::string, Listening, Hash, std::equal_to<>> channels
        FIBER_GUARDED_BY(mutex);
  };
  static constexpr size_t kParts = 64;
  using Parts = std::array<Part, kParts>;

  Part& PartOf(Audience audience, std::string_view name);

  Parts channels_, shard_channels_;
  fiber::SharedMutex patterns_mutex_;
  std::map<std::string, Listening, std::less<>> patterns_ FIBER_GUARDED_BY(patterns_mutex_);
  std::array<std::atomic<size_t>, kAudiences> counts_{};
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_STATE_PUBSUB_H_
