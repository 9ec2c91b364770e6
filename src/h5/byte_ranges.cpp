#include "h5/byte_ranges.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ziggurat::h5 {
namespace {

std::int64_t end_of(const ByteRanges::Map::value_type& range) {
  return range.first + std::ssize(range.second);
}

}  // namespace

// The first range that ends at or past offset: it holds, touches or follows that place.
ByteRanges::Map::const_iterator ByteRanges::first_reaching(std::int64_t offset) const {
  Map::const_iterator at = ranges_.upper_bound(offset);
  if (at != ranges_.begin() && end_of(*std::prev(at)) >= offset) --at;
  return at;
}

ByteRanges::Map::iterator ByteRanges::first_reaching(std::int64_t offset) {
  const Map::const_iterator found = std::as_const(*this).first_reaching(offset);
  return ranges_.erase(found, found);
}

void ByteRanges::put(std::int64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const std::int64_t end = offset + std::ssize(bytes);
  Map::iterator at = first_reaching(offset);
  if (at == ranges_.end() || at->first > offset) {
    at = ranges_.emplace(offset, std::vector<std::byte>(bytes.begin(), bytes.end())).first;
    bytes_ += std::ssize(bytes);
  } else {
    // Growing the range in front by its end keeps a run of small sequential writes linear.
    std::vector<std::byte>& kept = at->second;
    const std::int64_t old_size = std::ssize(kept);
    kept.resize(static_cast<std::size_t>(std::max(old_size, end - at->first)));
    std::copy(bytes.begin(), bytes.end(), kept.begin() + (offset - at->first));
    bytes_ += std::ssize(kept) - old_size;
  }
  absorb_followers(at);
}

// Ends the overlap of a range that has just grown with those behind it, whose older bytes lose.
void ByteRanges::absorb_followers(Map::iterator grown) {
  for (Map::iterator next = std::next(grown); next != ranges_.end();) {
    const std::int64_t overlap = std::min(end_of(*grown) - next->first, std::ssize(next->second));
    if (overlap <= 0) return;
    grown->second.insert(grown->second.end(), next->second.begin() + overlap, next->second.end());
    bytes_ -= overlap;
    next = ranges_.erase(next);
  }
}

void ByteRanges::lay_over(std::int64_t offset, std::span<std::byte> into) const {
  const std::int64_t end = offset + std::ssize(into);
  for (Map::const_iterator at = first_reaching(offset); at != ranges_.end() && at->first < end;
       ++at) {
    const std::int64_t from = std::max(offset, at->first);
    const std::int64_t to = std::min(end, end_of(*at));
    if (from >= to) continue;
    std::copy_n(at->second.begin() + (from - at->first), to - from, into.begin() + (from - offset));
  }
}

void ByteRanges::cut(std::int64_t end) {
  Map::iterator at = first_reaching(end);
  if (at != ranges_.end() && at->first < end) {
    bytes_ -= end_of(*at) - end;
    at->second.resize(static_cast<std::size_t>(end - at->first));
    ++at;
  }
  while (at != ranges_.end()) {
    bytes_ -= std::ssize(at->second);
    at = ranges_.erase(at);
  }
}

std::vector<std::pair<std::int64_t, std::int64_t>> ByteRanges::gaps(std::int64_t begin,
                                                                    std::int64_t end) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (Map::const_iterator at = first_reaching(begin); at != ranges_.end() && at->first < end;
       ++at) {
    if (begin < at->first) found.emplace_back(begin, at->first);
    begin = std::max(begin, end_of(*at));
  }
  if (begin < end) found.emplace_back(begin, end);
  return found;
}

}  // namespace ziggurat::h5
