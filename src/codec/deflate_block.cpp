// A dynamic block: two codes made for these tokens, a header that spells them, the tokens.
//
// Emission is bound by the bit buffer, so it writes a word at a time: four literals, or a whole
// match, a flush. For that, literal and length codes are kept to 14 bits (4 * 14 = 56 between
// flushes); the cost against 15 is nil. The body is measured before it is written, exactly, so the
// caller may compare ways to cut the same bytes into tokens, and stored bytes, by their size.
#include "codec/deflate_block.hpp"

#include <algorithm>
#include <utility>

namespace ziggurat::codec {
namespace {

constexpr unsigned kMaxLiteralCode = 14;
constexpr unsigned kMaxHeaderCode = 7;
constexpr std::size_t kStoredPiece = 65535;

// The order in which the header's own code lengths are sent.
constexpr std::array<std::uint8_t, 19> kHeaderOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                       11, 4,  12, 3, 13, 2, 14, 1, 15};

constexpr unsigned header_extra_bits(unsigned symbol) {
  return symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
}

template <std::size_t n>
std::size_t sent(const std::array<Code, n>& codes, std::size_t at_least) {
  std::size_t count = n;
  while (count > at_least && codes[count - 1].length == 0) --count;
  return count;
}

constexpr unsigned distance_extra_bits(std::size_t symbol) {
  return symbol < 4 ? 0 : static_cast<unsigned>(symbol / 2 - 1);
}

constexpr unsigned length_extra_bits(std::size_t symbol) {
  return symbol < 265 || symbol == 285 ? 0 : static_cast<unsigned>((symbol - 261) / 4);
}

// The logarithm to base 2 in 256ths, linear between powers of 2; integers, to be the same anywhere.
std::uint64_t logarithm(std::uint64_t n) {
  const auto power = static_cast<unsigned>(std::bit_width(n)) - 1;
  return power * 256 + ((n << 8) >> power) - 256;
}

std::uint64_t code_entropy(std::span<const std::uint32_t> counts) {
  std::uint64_t total = 0;
  std::uint64_t saved = 0;
  for (const std::uint32_t count : counts) {
    total += count;
    if (count > 1) saved += count * logarithm(count);
  }
  return total == 0 ? 0 : (total * logarithm(total) - saved) / 256;
}

// Bits of several codes, joined before they wait for the bits that were put before.
struct Joined {
  std::uint64_t bits;
  unsigned length;
};

Joined joined(Code code) { return {code.bits, code.length}; }

Joined operator+(Joined low, Joined high) {
  return {low.bits | high.bits << low.length, low.length + high.length};
}

// The last three or fewer are written without a branch: how many there are cannot be foretold.
// Readable for four bytes past n.
[[gnu::always_inline]] inline void write_literals(const std::byte* literal, std::size_t n,
                                                  const std::array<Code, kLengthSymbols>& codes,
                                                  BitWriter& out) {
  const auto code = [&](std::size_t i) {
    return joined(codes[std::to_integer<std::size_t>(literal[i])]);
  };
  const auto code_within = [&](std::size_t i) {
    const Joined any = code(i);
    const std::uint64_t kept = i < n ? ~std::uint64_t{0} : 0;
    return Joined{any.bits & kept, any.length & static_cast<unsigned>(kept)};
  };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const Joined four = (code(i) + code(i + 1)) + (code(i + 2) + code(i + 3));
    out.put(four.bits, four.length);
    out.flush();
  }
  const Joined rest = (code_within(i) + code_within(i + 1)) + code_within(i + 2);
  out.put(rest.bits, rest.length);
  out.flush();
}

}  // namespace

BlockPlan::BlockPlan(const Tokens& tokens) {
  const std::array<std::uint32_t, kLengthSymbols> length_counts = tokens.length_counts();
  make_codes(length_counts, kMaxLiteralCode, length_codes_);
  make_codes(tokens.distance_counts(), kMaxCodeLength, distance_codes_);
  plan_header();
  for (std::size_t s = 0; s < kLengthSymbols; ++s) {
    bits_ += std::uint64_t{length_counts[s]} * (length_codes_[s].length + length_extra_bits(s));
  }
  for (std::size_t s = 0; s < kDistanceSymbols; ++s) {
    bits_ += std::uint64_t{tokens.distance_counts()[s]} *
             (distance_codes_[s].length + distance_extra_bits(s));
  }
}

void BlockPlan::plan_header() {
  lengths_sent_ = sent(length_codes_, 257);
  distances_sent_ = sent(distance_codes_, 1);
  std::array<std::uint8_t, kLengthSymbols + kDistanceSymbols> lengths;
  const std::size_t n = lengths_sent_ + distances_sent_;
  for (std::size_t i = 0; i < n; ++i) {
    const Code code = i < lengths_sent_ ? length_codes_[i] : distance_codes_[i - lengths_sent_];
    lengths[i] = static_cast<std::uint8_t>(code.length);
  }
  std::array<std::uint32_t, 19> counts{};
  const auto add = [&](std::size_t symbol, std::size_t extra) {
    header_[header_items_++] = {static_cast<std::uint8_t>(symbol),
                                static_cast<std::uint8_t>(extra)};
    ++counts[symbol];
  };
  for (std::size_t i = 0; i < n;) {
    std::size_t run = 1;
    while (i + run < n && lengths[i + run] == lengths[i]) ++run;
    i += run;
    const std::size_t length = lengths[i - 1];
    if (length != 0) {
      add(length, 0);
      --run;
    }
    while (run >= 3) {
      const std::size_t most = length != 0 ? 6 : 138;
      const std::size_t now = std::min(run, most);
      if (length != 0)
        add(16, now - 3);
      else if (now < 11)
        add(17, now - 3);
      else
        add(18, now - 11);
      run -= now;
    }
    for (; run > 0; --run) add(length, 0);
  }
  make_codes(counts, kMaxHeaderCode, header_codes_);
  header_codes_sent_ = 19;
  while (header_codes_sent_ > 4 &&
         header_codes_[kHeaderOrder[header_codes_sent_ - 1]].length == 0) {
    --header_codes_sent_;
  }
  bits_ = 3 + 14 + 3 * header_codes_sent_;
  for (unsigned s = 0; s < 19; ++s) {
    bits_ += std::uint64_t{counts[s]} * (header_codes_[s].length + header_extra_bits(s));
  }
}

void BlockPlan::write_header(Position position, BitWriter& out) const {
  out.put(position == Position::last ? 1 : 0, 1);
  out.put(2, 2);
  out.put(lengths_sent_ - 257, 5);
  out.put(distances_sent_ - 1, 5);
  out.put(header_codes_sent_ - 4, 4);
  out.flush();
  for (std::size_t i = 0; i < header_codes_sent_; ++i) {
    out.put(header_codes_[kHeaderOrder[i]].length, 3);
    out.flush();
  }
  for (std::size_t i = 0; i < header_items_; ++i) {
    const Code code = header_codes_[header_[i].symbol];
    out.put(code.bits, code.length);
    out.put(header_[i].extra, header_extra_bits(header_[i].symbol));
    out.flush();
  }
}

void BlockPlan::write(const Tokens& tokens, Position position, BitWriter& stream) const {
  stream.reserve(bits_ / 8 + 1);
  write_header(position, stream);
  // Of its own, since what the bytes written may alias cannot stay in registers.
  BitWriter out = std::move(stream);
  const std::byte* literal = tokens.literals().data();
  for (const Sequence& sequence : tokens.sequences()) {
    write_literals(literal, sequence.literals, length_codes_, out);
    literal += sequence.literals;
    const LengthSymbol length = kLengthSymbol[sequence.length];
    out.put(length_codes_[length.symbol].bits, length_codes_[length.symbol].length);
    out.put(length.extra, length.extra_bits);
    const DistanceSymbol distance = distance_symbol(sequence.distance);
    out.put(distance_codes_[distance.symbol].bits, distance_codes_[distance.symbol].length);
    out.put(distance.extra, distance.extra_bits);
    out.flush();
  }
  const std::byte* end = tokens.literals().data() + tokens.literals().size();
  write_literals(literal, static_cast<std::size_t>(end - literal), length_codes_, out);
  out.put(length_codes_[kEndOfBlock].bits, length_codes_[kEndOfBlock].length);
  out.flush();
  stream = std::move(out);
}

std::uint64_t entropy_bits(const Tokens& tokens) {
  const std::array<std::uint32_t, kLengthSymbols> length_counts = tokens.length_counts();
  std::uint64_t bits = code_entropy(length_counts) + code_entropy(tokens.distance_counts());
  for (std::size_t s = kEndOfBlock + 1; s < kLengthSymbols; ++s) {
    bits += std::uint64_t{length_counts[s]} * length_extra_bits(s);
  }
  for (std::size_t s = 0; s < kDistanceSymbols; ++s) {
    bits += std::uint64_t{tokens.distance_counts()[s]} * distance_extra_bits(s);
  }
  return bits;
}

std::uint64_t stored_bits(std::size_t bytes) {
  const std::size_t pieces = (bytes + kStoredPiece - 1) / kStoredPiece;
  return 8 * bytes + pieces * (3 + 7 + 32);
}

void write_stored(std::span<const std::byte> bytes, BitWriter& out) {
  out.reserve(stored_bits(bytes.size()) / 8 + 1);
  while (!bytes.empty()) {
    const std::size_t n = std::min(bytes.size(), kStoredPiece);
    out.put(0, 3);
    out.align_to_byte();
    out.put(n, 16);
    out.put(n ^ 0xFFFF, 16);
    out.flush();
    out.put_bytes(bytes.first(n));
    bytes = bytes.subspan(n);
  }
}

void write_empty_last(BitWriter& out) {
  out.reserve(2);
  out.put(1, 1);
  out.put(1, 2);
  out.put(0, 7);  // the end of a block with fixed codes
  out.flush();
}

}  // namespace ziggurat::codec
