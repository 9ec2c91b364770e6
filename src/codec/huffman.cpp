// Problem: a prefix code of least total length for some 300 symbols, several times a chunk of 16 Ki
// elements, so that a microsecond here is 0.06 ns a pixel there.
//
// Method: symbols are radix-sorted by count (two passes for the usual counts); the lengths come
// from the two-queue form of Huffman's algorithm, in which the sorted leaves and the merged nodes,
// which arise in order, are each a queue. Lengths over the limit are cut, and the code is made to
// fit again by lengthening the longest of the shorter codes: not optimal, but the limit is hardly
// ever met. All is integer arithmetic and ties go by symbol number: the same code everywhere.
#include "codec/huffman.hpp"

#include <algorithm>
#include <array>

namespace ziggurat::codec {
namespace {

// Count in the upper bits, symbol in the lower 9.
using Entry = std::uint32_t;
constexpr unsigned kSymbolBits = 9;
constexpr unsigned kDigitBits = 7;  // of the radix sort: two passes for counts below 2^14
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr std::size_t kFewSymbols =
    24;  // below it, the radix sort's tables cost more than they save
using Entries = std::array<Entry, kMaxSymbols + 1>;  // one may be written past the last
using LengthCounts = std::array<std::uint32_t, kMaxCodeLength + 1>;

// The used symbols in order of symbol number; two at least.
std::size_t used_symbols(std::span<const std::uint32_t> counts, Entries& entries) {
  std::size_t used = 0;
  for (std::uint32_t symbol = 0; symbol < counts.size(); ++symbol) {
    entries[used] = counts[symbol] << kSymbolBits | symbol;
    used += counts[symbol] != 0 ? 1 : 0;
  }
  for (std::uint32_t symbol = 0; used < 2; ++symbol) {
    if (counts[symbol] == 0) entries[used++] = 1U << kSymbolBits | symbol;
  }
  return used;
}

// Equal counts are in order of symbol number.
void sort_by_count(Entries& entries, std::size_t used) {
  if (used <= kFewSymbols) {
    std::sort(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(used));
    return;
  }
  Entry seen = 0;
  for (std::size_t i = 0; i < used; ++i) seen |= entries[i];
  Entries other;
  for (unsigned shift = kSymbolBits; shift < 32 && (seen >> shift) != 0; shift += kDigitBits) {
    const auto digit = [shift](Entry entry) { return entry >> shift & (kDigits - 1); };
    std::array<std::uint16_t, kDigits + 1> starts{};
    for (std::size_t i = 0; i < used; ++i) ++starts[digit(entries[i]) + 1];
    for (std::size_t d = 1; d < kDigits; ++d) {
      starts[d] = static_cast<std::uint16_t>(starts[d] + starts[d - 1]);
    }
    for (std::size_t i = 0; i < used; ++i) other[starts[digit(entries[i])]++] = entries[i];
    std::copy_n(other.begin(), used, entries.begin());
  }
}

// How many codes have each length, for the sorted entries, cut at max_length.
LengthCounts count_lengths(const Entries& entries, std::size_t used, unsigned max_length) {
  // Both queues end with a weight that is never the lesser, and neither choice is a branch, since
  // it could not be foretold.
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::array<std::uint32_t, 2 * kMaxSymbols + 2> weights;  // of leaves, then of merged nodes
  std::array<std::uint16_t, 2 * kMaxSymbols + 2> parents;
  constexpr std::size_t kMerged = kMaxSymbols + 1;
  for (std::size_t i = 0; i < used; ++i) weights[i] = entries[i] >> kSymbolBits;
  weights[used] = kNone;
  std::size_t leaf = 0;
  std::size_t merged = kMerged;
  const std::size_t nodes = used - 1;
  for (std::size_t node = 0; node < nodes; ++node) {
    weights[kMerged + node] = kNone;
    std::uint32_t weight = 0;
    for (int child = 0; child < 2; ++child) {
      const bool take_leaf = weights[leaf] <= weights[merged];
      const std::size_t taken = take_leaf ? leaf : merged;
      weight += weights[taken];
      leaf += take_leaf ? 1 : 0;
      merged += take_leaf ? 0 : 1;
      parents[taken] = static_cast<std::uint16_t>(node);
    }
    weights[kMerged + node] = weight;
  }
  std::array<std::uint16_t, kMaxSymbols> depths;
  depths[nodes - 1] = 0;
  for (std::size_t node = nodes - 1; node-- > 0;) {
    depths[node] = static_cast<std::uint16_t>(depths[parents[kMerged + node]] + 1);
  }
  LengthCounts counts{};
  for (std::size_t i = 0; i < used; ++i) {
    ++counts[std::min<unsigned>(depths[parents[i]] + 1U, max_length)];
  }
  return counts;
}

// Lengthens codes until the cut code is a prefix code again.
void make_fit(LengthCounts& counts, unsigned max_length) {
  std::uint32_t space = 0;
  for (unsigned length = 1; length <= max_length; ++length) {
    space += counts[length] << (max_length - length);
  }
  for (; space > 1U << max_length; --space) {
    unsigned length = max_length - 1;
    while (counts[length] == 0) --length;
    --counts[length];
    counts[length + 1] += 2;
    --counts[max_length];
  }
}

constexpr std::array<std::uint8_t, 256> reversed_bytes() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (unsigned i = 0; i < 8; ++i) {
      table[byte] = static_cast<std::uint8_t>(table[byte] | (byte >> i & 1U) << (7 - i));
    }
  }
  return table;
}

std::uint16_t reversed(unsigned bits, unsigned length) {
  static constexpr std::array<std::uint8_t, 256> kReversed = reversed_bytes();
  const unsigned all = unsigned{kReversed[bits & 0xFF]} << 8 | kReversed[bits >> 8];
  return static_cast<std::uint16_t>(all >> (16 - length));
}

}  // namespace

void make_codes(std::span<const std::uint32_t> counts, unsigned max_length, std::span<Code> codes) {
  Entries entries;
  const std::size_t used = used_symbols(counts, entries);
  sort_by_count(entries, used);
  LengthCounts lengths = count_lengths(entries, used, max_length);
  make_fit(lengths, max_length);

  std::ranges::fill(codes, Code{});
  std::size_t rarest = 0;
  for (unsigned length = max_length; length > 0; --length) {
    for (std::uint32_t i = 0; i < lengths[length]; ++i) {
      const Entry symbol = entries[rarest++] & ((1U << kSymbolBits) - 1);
      codes[symbol].length = static_cast<std::uint16_t>(length);
    }
  }

  std::array<unsigned, kMaxCodeLength + 2> next{};
  for (unsigned length = 1; length <= max_length; ++length) {
    next[length + 1] = (next[length] + lengths[length]) << 1;
  }
  for (Code& code : codes) {
    if (code.length != 0) code.bits = reversed(next[code.length]++, code.length);
  }
}

}  // namespace ziggurat::codec
