// Bytes kept in memory for places of a file: what lies over the file's own content.
//
// Ranges never overlap. A write inside a kept range costs its length; one that touches others
// merges them. Reading lays the kept bytes over a buffer that was filled from the file. Thread
// rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace ziggurat::h5 {

class ByteRanges {
 public:
  using Map = std::map<std::int64_t, std::vector<std::byte>>;

  // Keeps bytes at offset, in place of what was kept there. After a bad_alloc the content is
  // unspecified but safe to destroy.
  void put(std::int64_t offset, std::span<const std::byte> bytes);

  // Copies whatever is kept for [offset, offset + into.size()) over into.
  void lay_over(std::int64_t offset, std::span<std::byte> into) const;

  // Forgets everything at or past end.
  void cut(std::int64_t end);

  // The parts of [begin, end) that are not kept, in order, as {begin, end}.
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::int64_t>> gaps(std::int64_t begin,
                                                                        std::int64_t end) const;

  // Ascending by offset; no two overlap, none is empty.
  [[nodiscard]] const Map& ranges() const noexcept { return ranges_; }
  [[nodiscard]] std::int64_t bytes() const noexcept { return bytes_; }

 private:
  void absorb_followers(Map::iterator grown);
  Map::iterator first_reaching(std::int64_t offset);
  [[nodiscard]] Map::const_iterator first_reaching(std::int64_t offset) const;

  Map ranges_;
  std::int64_t bytes_ = 0;
};

}  // namespace ziggurat::h5
