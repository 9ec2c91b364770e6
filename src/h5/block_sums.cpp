#include "h5/block_sums.hpp"

#include <algorithm>

#include "h5/word_sums.hpp"

namespace ziggurat::h5 {
namespace {

constexpr std::size_t kWord = kWordBytes;
constexpr std::size_t kBlock = BlockSums::kBlockBytes;

// The key of word k is kFirst + k * kStep: always odd. Sums are formed of the words and of the
// words times their places, and multiplied out once a block.
constexpr std::uint64_t kFirst = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kStep = 0xD1B54A32D192ED02;
static_assert(kFirst % 2 == 1 && kStep % 2 == 0);

std::uint64_t product(std::uint64_t words, std::uint64_t placed) {
  return words * kFirst + placed * kStep;
}

std::uint64_t sum_of_bytes(std::size_t at, std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (const std::byte byte : bytes) {
    const std::uint64_t value = std::to_integer<std::uint64_t>(byte) << 8 * (at % kWord);
    sum += product(value, value * (at / kWord));
    ++at;
  }
  return sum;
}

// Requires: whole words.
std::uint64_t sum_of_words(std::size_t at, std::span<const std::byte> bytes) {
  const WordSums sums = sum_words(best_isa(), bytes);
  return product(sums.words, sums.placed + sums.words * (at / kWord));
}

// What bytes that begin at position `at` of a block, and end in it, add to its sum.
std::uint64_t sum_within_block(std::size_t at, std::span<const std::byte> bytes) {
  const std::size_t head = std::min(bytes.size(), (kWord - at % kWord) % kWord);
  const std::size_t body = (bytes.size() - head) / kWord * kWord;
  return sum_of_bytes(at, bytes.first(head)) + sum_of_words(at + head, bytes.subspan(head, body)) +
         sum_of_bytes(at + head + body, bytes.subspan(head + body));
}

// Calls visit(block, position in it, part) for the part of the bytes in each block.
template <typename Visit>
void for_each_block(std::int64_t offset, std::span<const std::byte> bytes, Visit visit) {
  auto at = static_cast<std::size_t>(offset);
  while (!bytes.empty()) {
    const std::size_t n = std::min(bytes.size(), kBlock - at % kBlock);
    visit(at / kBlock, at % kBlock, bytes.first(n));
    at += n;
    bytes = bytes.subspan(n);
  }
}

}  // namespace

void BlockSums::count(std::int64_t offset, std::span<const std::byte> bytes, std::uint64_t sign) {
  const std::size_t end = static_cast<std::size_t>(offset) + bytes.size();
  if (sums_.size() * kBlock < end) sums_.resize((end + kBlock - 1) / kBlock);
  for_each_block(offset, bytes, [&](std::size_t block, std::size_t at, auto part) {
    sums_[block] += sign * sum_within_block(at, part);
  });
}

std::int64_t BlockSums::first_difference(std::int64_t offset,
                                         std::span<const std::byte> bytes) const {
  std::int64_t found = -1;
  for_each_block(offset, bytes, [&](std::size_t block, std::size_t at, auto part) {
    const std::uint64_t wanted = block < sums_.size() ? sums_[block] : 0;
    if (found < 0 && sum_within_block(at, part) != wanted) {
      found = static_cast<std::int64_t>(block * kBlock);
    }
  });
  return found;
}

}  // namespace ziggurat::h5
