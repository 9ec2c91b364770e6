#include "codec/tokens.hpp"

namespace ziggurat::codec {
namespace {

constexpr std::array<LengthSymbol, kMaxMatch + 1> length_symbols() {
  std::array<LengthSymbol, kMaxMatch + 1> table{};
  for (std::size_t length = kMinMatch; length < kMaxMatch; ++length) {
    const auto from_zero = static_cast<unsigned>(length - kMinMatch);
    const unsigned width = static_cast<unsigned>(std::bit_width(from_zero));
    const unsigned extra_bits = width < 3 ? 0 : width - 3;
    table[length] = {static_cast<std::uint16_t>(257 + 4 * extra_bits + (from_zero >> extra_bits)),
                     static_cast<std::uint8_t>(extra_bits),
                     static_cast<std::uint8_t>(from_zero & ((1U << extra_bits) - 1))};
  }
  table[kMaxMatch] = {285, 0, 0};  // not 284 with all its bits set
  return table;
}

}  // namespace

const std::array<LengthSymbol, kMaxMatch + 1> kLengthSymbol = length_symbols();

void Tokens::clear() {
  literal_count_ = 0;
  sequence_count_ = 0;
  open_literals_ = 0;
  length_counts_.fill(0);
  distance_counts_.fill(0);
}

void Tokens::reserve(std::size_t bytes) {
  const std::size_t literals = literal_count_ + bytes + kPlaneSlack;
  if (literals_.size() < literals) literals_.resize(literals);
  const std::size_t sequences = sequence_count_ + bytes / kMinMatch + 1;
  if (sequences_.size() < sequences) sequences_.resize(sequences);
}

void Tokens::add_run(std::byte value, std::size_t n) {
  while (n >= kMaxMatch) {
    add_match(kMaxMatch, 1);
    n -= kMaxMatch;
  }
  if (n >= kMinMatch) {
    add_match(n, 1);
  } else {
    for (; n > 0; --n) add_literal(value);
  }
}

// Four tables, because counting a byte right after the same byte would wait for its store.
std::array<std::uint32_t, kLengthSymbols> Tokens::length_counts() const {
  std::array<std::array<std::uint32_t, 256>, 4> parts{};
  std::size_t i = 0;
  for (; i + 4 <= literal_count_; i += 4) {
    for (std::size_t k = 0; k < 4; ++k) ++parts[k][std::to_integer<std::size_t>(literals_[i + k])];
  }
  for (; i < literal_count_; ++i) ++parts[0][std::to_integer<std::size_t>(literals_[i])];
  std::array<std::uint32_t, kLengthSymbols> counts = length_counts_;
  for (std::size_t b = 0; b < 256; ++b) {
    counts[b] += parts[0][b] + parts[1][b] + parts[2][b] + parts[3][b];
  }
  counts[kEndOfBlock] = 1;
  return counts;
}

}  // namespace ziggurat::codec
