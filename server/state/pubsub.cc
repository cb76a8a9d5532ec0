#include "server/state/pubsub.h"

#include <initializer_list>
#include <utility>

#include "server/resp/words.h"

namespace cairn::server {

namespace {

// Of one send: a client that takes some has room for more soon.
constexpr size_t kTakenBytes = 256 << 10;
// What a frame in a queue costs beside its bytes, which others may have, too.
constexpr size_t kFrameOverhead = 64;

Subscriber::Frame MakeFrame(std::initializer_list<std::string_view> words) {
  std::string text = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words) {
    text.append("$").append(std::to_string(word.size())).append("\r\n");
    text.append(word).append("\r\n");
  }
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace

size_t Subscriber::BytesOf(const Frame& frame) { return frame->size() + kFrameOverhead; }

void Subscriber::Push(Frame frame) {
  {
    const fiber::MutexLock lock(&mutex_);
    if (closed_) return;
    if (bytes_ + BytesOf(frame) <= max_bytes_) {
      bytes_ += BytesOf(frame);
      frames_.push_back(std::move(frame));
      if (!held_) changed_.notify_one();
      return;
    }
    closed_ = dropped_ = true;
    frames_.clear();
    changed_.notify_one();
  }
  drop_();
}

void Subscriber::Hold() {
  const fiber::MutexLock lock(&mutex_);
  held_ = true;
}

void Subscriber::Release(int version) {
  const fiber::MutexLock lock(&mutex_);
  version_ = version;
  held_ = false;
  if (!frames_.empty()) changed_.notify_one();
}

bool Subscriber::Wait() {
  const fiber::MutexLock lock(&mutex_);
  while (!closed_ && (held_ || frames_.empty())) changed_.wait(&mutex_);
  return !closed_;
}

void Subscriber::Take(std::vector<Frame>* frames, int* version) {
  frames->clear();
  const fiber::MutexLock lock(&mutex_);
  *version = version_;
  if (held_) return;
  for (size_t bytes = 0; !frames_.empty() && bytes < kTakenBytes;) {
    bytes += frames_.front()->size();
    frames->push_back(std::move(frames_.front()));
    frames_.pop_front();
  }
}

void Subscriber::Sent(const std::vector<Frame>& frames) {
  const fiber::MutexLock lock(&mutex_);
  for (const Frame& frame : frames) bytes_ -= BytesOf(frame);
}

std::vector<Subscriber::Frame> Subscriber::TakeAll() {
  const fiber::MutexLock lock(&mutex_);
  std::vector<Frame> frames(frames_.begin(), frames_.end());
  frames_.clear();
  for (const Frame& frame : frames) bytes_ -= BytesOf(frame);
  return frames;
}

void Subscriber::Close() {
  const fiber::MutexLock lock(&mutex_);
  closed_ = true;
  changed_.notify_one();
}

size_t Subscriber::bytes() {
  const fiber::MutexLock lock(&mutex_);
  return bytes_;
}

bool Subscriber::dropped() {
  const fiber::MutexLock lock(&mutex_);
  return dropped_;
}

PubSub::Part& PubSub::PartOf(Audience audience, std::string_view name) {
  return (audience == Audience::kShard ? shard_channels_ : channels_)[Hash()(name) % kParts];
}

void PubSub::Subscribe(Audience audience, std::string_view name, Subscriber* subscriber) {
  const auto join = [&](auto& all) {
    Listening& listening = all[std::string(name)];
    if (listening.empty()) counts_[static_cast<size_t>(audience)].fetch_add(1);
    listening.insert(subscriber);
  };
  if (audience == Audience::kPattern) {
    const fiber::WriterLock lock(&patterns_mutex_);
    join(patterns_);
    return;
  }
  Part& part = PartOf(audience, name);
  const fiber::MutexLock lock(&part.mutex);
  join(part.channels);
}

void PubSub::Unsubscribe(Audience audience, std::string_view name, Subscriber* subscriber) {
  const auto leave = [&](auto& all) {
    const auto it = all.find(name);
    if (it == all.end()) return;
    it->second.erase(subscriber);
    if (!it->second.empty()) return;
    all.erase(it);
    counts_[static_cast<size_t>(audience)].fetch_sub(1);
  };
  if (audience == Audience::kPattern) {
    const fiber::WriterLock lock(&patterns_mutex_);
    leave(patterns_);
    return;
  }
  Part& part = PartOf(audience, name);
  const fiber::MutexLock lock(&part.mutex);
  leave(part.channels);
}

size_t PubSub::Publish(Audience audience, std::string_view channel, std::string_view message) {
  size_t receivers = 0;
  const auto push = [&receivers](const Listening& listening, const Subscriber::Frame& frame) {
    for (Subscriber* const one : listening) one->Push(frame);
    receivers += listening.size();
  };
  {
    Part& part = PartOf(audience, channel);
    const fiber::MutexLock lock(&part.mutex);
    const auto it = part.channels.find(channel);
    if (it != part.channels.end()) {
      push(it->second,
           MakeFrame({audience == Audience::kShard ? "smessage" : "message", channel, message}));
    }
  }
  if (audience == Audience::kShard || count(Audience::kPattern) == 0) return receivers;
  const fiber::ReaderLock lock(&patterns_mutex_);
  for (const auto& [pattern, listening] : patterns_) {
    if (!MatchesPattern(pattern, channel)) continue;
    push(listening, MakeFrame({"pmessage", pattern, channel, message}));
  }
  return receivers;
}

size_t PubSub::Receivers(Audience audience, std::string_view channel) {
  size_t receivers = Listeners(audience, channel);
  if (audience == Audience::kShard || count(Audience::kPattern) == 0) return receivers;
  const fiber::ReaderLock lock(&patterns_mutex_);
  for (const auto& [pattern, listening] : patterns_) {
    if (MatchesPattern(pattern, channel)) receivers += listening.size();
  }
  return receivers;
}

std::vector<std::string> PubSub::Channels(Audience audience) {
  std::vector<std::string> names;
  for (Part& part : audience == Audience::kShard ? shard_channels_ : channels_) {
    const fiber::MutexLock lock(&part.mutex);
    for (const auto& [name, listening] : part.channels) names.push_back(name);
  }
  return names;
}

size_t PubSub::Listeners(Audience audience, std::string_view channel) {
  Part& part = PartOf(audience, channel);
  const fiber::MutexLock lock(&part.mutex);
  const auto it = part.channels.find(channel);
  return it == part.channels.end() ? 0 : it->second.size();
}

}  // namespace cairn::server
