#include "faultfs/ledger.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <set>

#include "fiber/io.h"

namespace faultfs {

namespace io = fiber::io;
using Kind = Ledger::Operation::Kind;

constexpr uint64_t kPage = 4096;           // what a kernel writes as a whole
constexpr uint64_t kSector = 512;          // what a disk writes as a whole
constexpr uint64_t kForgetEvery = 256;     // changes of names
constexpr uint64_t kMaxPending = 1 << 20;  // then a file's oldest changes are written behind

// A change of a file's bytes and size.
struct ByteChange {
  uint64_t offset = 0, length = 0;  // the bytes that changed
  std::string before;               // of them, up to the former end
  uint64_t old_size = 0, new_size = 0;
  enum class State : uint8_t { kUnsynced, kDurable, kLost } state = State::kUnsynced;
};

// A file or a directory. Its descriptor keeps it, and its number, also after it has no name.
struct Node {
  Node(int descriptor, ino_t number, bool is_directory)
      : fd(descriptor), ino(number), directory(is_directory) {}
  ~Node() { io::close(fd); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const int fd;
  const ino_t ino;
  const bool directory;
  std::map<std::string, std::shared_ptr<Node>> names;  // of a directory: those that are durable
  std::vector<ByteChange> changes;
};

namespace {

std::string PathOf(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

uint64_t SizeOf(int fd) {
  struct stat attributes = {};
  return io::fstat(fd, &attributes) == 0 ? static_cast<uint64_t>(attributes.st_size) : 0;
}

std::string ReadRange(int fd, uint64_t offset, uint64_t size) {
  std::string bytes(size, '\0');
  size_t done = 0;
  while (done < size) {
    const ssize_t n = io::pread(fd, bytes.data() + done, size - done, offset + done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

int WriteRange(int fd, const std::string& bytes, uint64_t offset) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = io::pwrite(fd, bytes.data() + done, bytes.size() - done, offset + done);
    if (n <= 0) return n < 0 ? static_cast<int>(n) : -EIO;
    done += static_cast<size_t>(n);
  }
  return 0;
}

// Takes a change back; returns what its bytes were after it.
std::string Undo(const ByteChange& change, std::string* content) {
  std::string after;
  if (change.offset < content->size()) after = content->substr(change.offset, change.length);
  content->resize(std::max<size_t>(change.old_size, content->size()));
  if (!change.before.empty()) {
    content->replace(change.offset, change.before.size(), change.before);
  }
  content->resize(change.old_size);
  return after;
}

// `after`: the bytes; a beginning of them where the rest did not survive.
void Redo(const ByteChange& change, const std::string& after, std::string* content) {
  if (change.new_size < change.old_size) {
    content->resize(std::min<size_t>(change.new_size, content->size()));
    return;
  }
  if (!after.empty()) {
    const size_t end = change.offset + after.size();
    if (content->size() < end) content->resize(end);
    content->replace(change.offset, after.size(), after);
  }
  if (change.new_size > change.old_size && after.size() == change.length &&
      content->size() < change.new_size) {
    content->resize(change.new_size);
  }
}

}  // namespace

Ledger::Ledger(int root, Names names) : names_mode_(names) {
  const std::function<std::shared_ptr<Node>(const std::string&)> walk =
      [&](const std::string& path) {
        struct stat attributes = {};
        if (io::stat(path.c_str(), &attributes) != 0) return std::shared_ptr<Node>();
        std::shared_ptr<Node>& node = nodes_[attributes.st_ino];
        if (node != nullptr) return node;  // a hard link
        const bool directory = S_ISDIR(attributes.st_mode);
        node = std::make_shared<Node>(io::open(path.c_str(), directory ? O_RDONLY : O_RDWR),
                                      attributes.st_ino, directory);
        const std::shared_ptr<Node> result = node;
        std::vector<std::string> entries;
        if (directory) (void)io::list_dir(path.c_str(), &entries);
        for (const std::string& name : entries) {
          if (const auto child = walk(path + "/" + name)) result->names[name] = child;
        }
        return result;
      };
  root_ = walk(PathOf(root));
}

Ledger::~Ledger() {
  for (auto& [number, node] : nodes_)
    node->names.clear();  // (a directory moved into its own child)
}

std::shared_ptr<Node> Ledger::NodeOf(int fd, const char* name) {
  const std::string path = name == nullptr ? PathOf(fd) : PathOf(fd) + "/" + name;
  struct stat attributes = {};
  const int status =
      name == nullptr ? io::fstat(fd, &attributes) : io::stat(path.c_str(), &attributes);
  if (status != 0) return nullptr;
  std::shared_ptr<Node>& node = nodes_[attributes.st_ino];
  if (node == nullptr) {
    const bool directory = S_ISDIR(attributes.st_mode);
    node = std::make_shared<Node>(io::open(path.c_str(), directory ? O_RDONLY : O_RDWR),
                                  attributes.st_ino, directory);
  }
  return node;
}

Ledger::Before Ledger::Prepare(const Operation& operation) {
  Before before;
  switch (operation.kind) {
    case Kind::kWrite:
    case Kind::kFallocate:
    case Kind::kTruncate: {
      before.node = NodeOf(operation.at, nullptr);
      if (before.node == nullptr) break;
      before.file_size = SizeOf(before.node->fd);
      // What is cut off, overwritten or punched out.
      const bool cut = operation.kind == Kind::kTruncate;
      const uint64_t begin = cut ? operation.size : operation.offset;
      const uint64_t end =
          cut ? before.file_size : std::min(before.file_size, begin + operation.size);
      const bool keeps =
          operation.kind == Kind::kFallocate && (operation.mode & ~FALLOC_FL_KEEP_SIZE) == 0;
      if (begin < end && !keeps) before.bytes = ReadRange(before.node->fd, begin, end - begin);
      break;
    }
    case Kind::kUnlink:
    case Kind::kRmdir:
    case Kind::kRename:
      before.node = NodeOf(operation.at, operation.name);
      break;
    default:
      break;
  }
  return before;
}

void Ledger::Done(const Operation& operation, Before before, int64_t result) {
  NameChange names;
  switch (operation.kind) {
    case Kind::kWrite:
    case Kind::kFallocate:
    case Kind::kTruncate: {
      if (before.node == nullptr) return;
      ByteChange change;
      change.old_size = before.file_size;
      change.new_size = SizeOf(before.node->fd);
      change.offset = operation.kind == Kind::kTruncate ? operation.size : operation.offset;
      change.length =
          operation.kind == Kind::kWrite ? static_cast<uint64_t>(result) : before.bytes.size();
      change.before = std::move(before.bytes);
      if (change.before.size() > change.length) change.before.resize(change.length);
      std::vector<ByteChange>& changes = before.node->changes;
      changes.push_back(std::move(change));
      if (changes.size() > kMaxPending) changes.erase(changes.begin());
      return;
    }
    case Kind::kCreate:
    case Kind::kMkdir:
      names.come_to = NodeOf(operation.at, nullptr);
      names.come_name = operation.name;
      names.node = NodeOf(operation.at, operation.name);
      break;
    case Kind::kLink:
      names.come_to = NodeOf(operation.to, nullptr);
      names.come_name = operation.to_name;
      names.node = NodeOf(operation.at, nullptr);
      break;
    case Kind::kRename:
      names.come_to = NodeOf(operation.to, nullptr);
      names.come_name = operation.to_name;
      [[fallthrough]];
    case Kind::kUnlink:
    case Kind::kRmdir:
      names.gone_from = NodeOf(operation.at, nullptr);
      names.gone_name = operation.name;
      names.node = std::move(before.node);
      break;
    default:
      return;
  }
  if (names.node == nullptr) return;
  pending_.push_back(std::move(names));
  if (++changes_ % kForgetEvery == 0) ForgetUnreachable();
}

void Ledger::Apply(const NameChange& change) {
  if (change.gone_from != nullptr) {
    const auto it = change.gone_from->names.find(change.gone_name);
    // (Another may have the name: what took it away is not durable, or this came too late.)
    if (it != change.gone_from->names.end() && it->second == change.node) {
      change.gone_from->names.erase(it);
    }
  }
  if (change.come_to != nullptr) change.come_to->names[change.come_name] = change.node;
}

// `directory`: whose entries were synced; null: all names.
void Ledger::MakeNamesDurable(const Node* directory) {
  std::vector<bool> durable(pending_.size(), directory == nullptr);
  if (directory != nullptr) {
    // A rename is durable in both of its directories, and after what was done to its names before.
    std::set<Entry> needed;
    for (size_t i = pending_.size(); i-- > 0;) {
      const NameChange& change = pending_[i];
      std::vector<Entry> entries;
      bool in_it = false;
      if (change.gone_from != nullptr) {
        entries.emplace_back(change.gone_from->ino, change.gone_name);
        in_it = change.gone_from.get() == directory;
      }
      if (change.come_to != nullptr) {
        entries.emplace_back(change.come_to->ino, change.come_name);
        in_it = in_it || change.come_to.get() == directory;
      }
      durable[i] = in_it || std::any_of(entries.begin(), entries.end(),
                                        [&](const Entry& entry) { return needed.contains(entry); });
      if (durable[i]) needed.insert(entries.begin(), entries.end());
    }
  }
  std::vector<NameChange> rest;
  for (size_t i = 0; i < pending_.size(); ++i) {
    if (durable[i]) {
      Apply(pending_[i]);
    } else {
      rest.push_back(std::move(pending_[i]));
    }
  }
  pending_ = std::move(rest);
}

void Ledger::Synced(const Operation& operation) {
  const std::shared_ptr<Node> node = NodeOf(operation.at, nullptr);
  if (node == nullptr) return;
  if (node->directory) {
    MakeNamesDurable(names_mode_ == Names::kOrdered ? nullptr : node.get());
    return;
  }
  bool any_lost = false;
  for (ByteChange& change : node->changes) {
    any_lost = any_lost || change.state == ByteChange::State::kLost;
    if (change.state == ByteChange::State::kUnsynced) change.state = ByteChange::State::kDurable;
  }
  if (!any_lost) node->changes.clear();
  if (names_mode_ == Names::kOrdered) MakeNamesDurable(nullptr);
}

void Ledger::SyncLost(const Operation& operation, bool visible) {
  const std::shared_ptr<Node> node = NodeOf(operation.at, nullptr);
  if (node == nullptr || node->directory) return;
  for (ByteChange& change : node->changes) {
    if (change.state == ByteChange::State::kUnsynced) change.state = ByteChange::State::kLost;
  }
  if (!visible) return;
  const uint64_t size = SizeOf(node->fd);
  std::string content = Survivor(*node, nullptr, nullptr);
  ByteChange grown;  // the size is still the one that was written, without the bytes
  grown.old_size = content.size();
  grown.new_size = size;
  content.resize(size);
  (void)WriteRange(node->fd, content, 0);
  node->changes.clear();
  if (grown.old_size != size) node->changes.push_back(grown);
}

void Ledger::ForgetUnreachable() {
  std::set<const Node*> needed = {root_.get()};
  for (const NameChange& change : pending_) {
    for (const Node* node : {change.node.get(), change.gone_from.get(), change.come_to.get()}) {
      needed.insert(node);
    }
  }
  for (const auto& [number, node] : nodes_) {
    for (const auto& [name, child] : node->names) needed.insert(child.get());
  }
  for (auto it = nodes_.begin(); it != nodes_.end();) {
    struct stat attributes = {};
    const bool named = io::fstat(it->second->fd, &attributes) == 0 && attributes.st_nlink > 0;
    it = named || needed.contains(it->second.get()) ? std::next(it) : nodes_.erase(it);
  }
}

std::string Ledger::Content(const Node& node) { return ReadRange(node.fd, 0, SizeOf(node.fd)); }

// What is left of a file. `random` null: of what is not durable nothing.
std::string Ledger::Survivor(const Node& node, cairn::Random64* random, Survival* survival) {
  std::string content = Content(node);
  const std::vector<ByteChange>& changes = node.changes;
  if (changes.empty()) return content;
  std::vector<std::string> after(changes.size());
  const size_t seen_size = content.size();
  for (size_t i = changes.size(); i-- > 0;) after[i] = Undo(changes[i], &content);

  // All, none, the beginning with the last change torn, pages of their own, or any changes.
  enum class Mode : uint8_t { kNone, kAll, kBeginning, kPages, kAny };
  const auto mode = random == nullptr ? Mode::kNone : static_cast<Mode>(random->Uniform(5));
  const size_t whole = random == nullptr ? 0 : random->Uniform(changes.size() + 1);
  // Sizes may be written before the bytes: zeros, from a sector on.
  const bool zeros = random != nullptr && random->OneIn(3);
  std::map<uint64_t, bool> pages;  // which of them was written
  const auto page_survives = [&](uint64_t page) {
    const auto [it, added] = pages.try_emplace(page, false);
    if (added) it->second = random->OneIn(2);
    return it->second;
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    const ByteChange& change = changes[i];
    if (change.state == ByteChange::State::kLost) continue;
    bool survives = change.state == ByteChange::State::kDurable;
    if (!survives) {
      survives = mode == Mode::kAll || (mode == Mode::kBeginning && i < whole) ||
                 (mode == Mode::kAny && random->OneIn(2));
      if (mode == Mode::kBeginning && i == whole && after[i].size() > 1) {
        uint64_t size = random->Uniform(after[i].size());
        if (zeros) size -= std::min(size, (change.offset + size) % kSector);
        Redo(change, after[i].substr(0, size), &content);
        if (survival != nullptr) ++survival->bytes_torn;
        continue;
      }
      if (mode == Mode::kPages) {
        for (uint64_t at = change.offset; at < change.offset + after[i].size();) {
          const uint64_t end = std::min((at / kPage + 1) * kPage, change.offset + after[i].size());
          if (page_survives(at / kPage)) {
            if (content.size() < end) content.resize(end);
            content.replace(at, end - at, after[i], at - change.offset, end - at);
          }
          at = end;
        }
        if (survival != nullptr) ++survival->bytes_torn;
        continue;
      }
      if (survival != nullptr) ++(survives ? survival->bytes_survived : survival->bytes_lost);
    }
    if (survives) Redo(change, after[i], &content);
  }
  if (zeros && content.size() < seen_size) content.resize(seen_size);
  return content;
}

int Ledger::WriteSurvivors(cairn::Random64* random, const std::string& target, Survival* survival) {
  size_t count = pending_.size();
  uint64_t percent = 100;
  switch (random->Uniform(4)) {
    case 0:
      percent = 0;
      break;
    case 1:
      break;
    default:
      percent = random->Uniform(101);
  }
  if (names_mode_ == Names::kOrdered) count = pending_.size() * percent / 100;
  for (size_t i = 0; i < pending_.size(); ++i) {
    const bool survives =
        i < count && (names_mode_ == Names::kOrdered || random->Uniform(100) < percent);
    if (survives) Apply(pending_[i]);
    ++(survives ? survival->names_survived : survival->names_lost);
  }
  pending_.clear();

  std::map<const Node*, std::string> written;  // hard links stay such
  const std::function<int(const Node&, const std::string&)> write_out =
      [&](const Node& directory, const std::string& path) {
        for (const auto& [name, node] : directory.names) {
          const std::string at = path + "/" + name;
          int status = 0;
          const auto [it, first] = written.try_emplace(node.get(), at);
          if (node->directory) {
            if (!first) continue;
            status = io::mkdir(at.c_str(), 0755);
            if (status == 0) status = write_out(*node, at);
          } else if (!first) {
            status = io::link(it->second.c_str(), at.c_str());
          } else {
            status = io::open(at.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0644);
            if (status >= 0) {
              const int fd = status;
              status = WriteRange(fd, Survivor(*node, random, survival), 0);
              io::close(fd);
            }
          }
          if (status < 0) return status;
        }
        return 0;
      };
  return write_out(*root_, target);
}

}  // namespace faultfs
