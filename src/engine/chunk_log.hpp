// The finished chunks of a pass, one after the other, in a file that only grows.
//
// An HDF5 file that is being written is worth nothing after a kill: its metadata is changed in
// place. So a pass that keeps a checkpoint writes its chunks here, and makes the level files from
// them when all are in. What was synced stays good whatever happens later; what came after the last
// checkpoint is cut off.
//
// A record: u32 CRC-32 of the rest, the fields of ChunkRecord, the bytes.
// Thread rules: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "proc/fd.hpp"

namespace ziggurat::engine {

struct ChunkRecord {
  // Stored; do not change.
  enum class Kind : std::uint32_t {
    chunk = 1,  // of our making: `n` elements from element `first` on
    kept = 2,   // the source's: chunk number `first`
    widen = 3,  // from here on the column is of number type `n`
  };
  Kind kind = Kind::chunk;
  std::uint32_t level = 0;   // writer of the pass
  std::uint32_t column = 0;  // of the pixel table; for widen: value column
  std::uint32_t mask = 0;    // filters left out
  std::uint64_t first = 0;
  std::uint64_t n = 0;
  std::uint64_t bytes = 0;  // that follow
};

class ChunkLog {
 public:
  // Opens the file, made if need be, and cuts it off after `keep` bytes. Throws Error{io}.
  ChunkLog(std::string path, std::uint64_t keep);

  // record.bytes is set from `bytes`. Throws Error{io}.
  void append(ChunkRecord record, std::span<const std::byte> bytes);
  // Everything so far is on stable storage; returns its length in bytes.
  std::uint64_t sync();

  using Visitor = std::function<void(const ChunkRecord& record, std::span<const std::byte> bytes)>;
  // Visits the records of the first `length` bytes in order. Throws Error: format naming the file
  // when it is shorter, or a record is damaged; io.
  static void visit(const std::string& path, std::uint64_t length, const Visitor& visitor);

 private:
  void flush();

  std::string path_;
  proc::UniqueFd fd_;
  std::uint64_t length_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace ziggurat::engine
