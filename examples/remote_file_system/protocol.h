// What the remote file system and its server say to each other over TCP.
//
// A request is a RequestHeader and the file's name; an answer is an AnswerHeader and the bytes.
// Answers come in any order and carry the request's id: that is what lets one connection have many
// reads in flight. Numbers stand in the byte order of the machine (both sides are of one build).
#pragma once

#include <cstddef>
#include <cstdint>

namespace remote {

// Of one read, and of a name. Longer ones are refused.
inline constexpr size_t kMaxReadBytes = 64 << 20;
inline constexpr size_t kMaxNameBytes = 4096;

struct RequestHeader {
  uint64_t id;
  uint64_t offset;
  uint32_t length;  // bytes to read; 0 asks only whether the file can be read
  uint32_t name_size;
};
static_assert(sizeof(RequestHeader) == 24);

struct AnswerHeader {
  uint64_t id;
  uint64_t file_size;
  uint32_t length;  // of the bytes that follow: fewer than asked for only at the end of the file
  int32_t error;    // errno, 0 for none; then nothing follows
};
static_assert(sizeof(AnswerHeader) == 24);

}  // namespace remote
