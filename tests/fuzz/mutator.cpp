#include "mutator.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace ziggurat::fuzz {
namespace {

using Place = Bytes::difference_type;

// Where sizes and signs turn over, and letters that grammars know.
constexpr std::array<std::uint64_t, 12> kNumbers{0,
                                                 1,
                                                 0x7F,
                                                 0xFF,
                                                 0x7FFF,
                                                 0xFFFF,
                                                 0x7FFFFFFF,
                                                 0xFFFFFFFF,
                                                 1ULL << 32,
                                                 0x7FFFFFFFFFFFFFFF,
                                                 0x8000000000000000,
                                                 0xFFFFFFFFFFFFFFFF};
constexpr std::string_view kLetters = "0123456789NBbkMG:,.-_+/\\'\"\t\n\r #*=xe";

}  // namespace

Bytes Mutator::next(const std::vector<Bytes>& inputs) {
  Bytes bytes = inputs[below(inputs.size())];
  for (std::size_t n = 1 + below(8); n > 0; --n) damage(bytes, inputs);
  return bytes;
}

void Mutator::damage(Bytes& bytes, const std::vector<Bytes>& inputs) {
  const std::size_t at = below(bytes.size());
  const std::size_t length = below(std::min<std::size_t>(bytes.size() - at, 64)) + 1;
  const auto begin = bytes.begin() + static_cast<Place>(at);
  switch (below(8)) {
    case 0:  // a bit
      if (!bytes.empty()) bytes[at] ^= static_cast<std::byte>(1U << below(8));
      return;
    case 1:  // a byte
      if (!bytes.empty()) bytes[at] = static_cast<std::byte>(below(256));
      return;
    case 2:  // a letter more
      bytes.insert(begin, static_cast<std::byte>(kLetters[below(kLetters.size())]));
      return;
    case 3: {  // a number
      const std::uint64_t number = kNumbers[below(kNumbers.size())];
      const std::size_t width = std::min(std::size_t{1} << below(4), bytes.size() - at);
      if (width > 0) std::memcpy(bytes.data() + at, &number, width);
      return;
    }
    case 4:  // some bytes missing
      if (!bytes.empty())
        bytes.erase(begin, begin + static_cast<Place>(std::min(length, bytes.size() - at)));
      return;
    case 5: {  // some bytes twice
      const Bytes copy(begin, begin + static_cast<Place>(std::min(length, bytes.size() - at)));
      bytes.insert(begin, copy.begin(), copy.end());
      return;
    }
    case 6:  // the end missing
      bytes.resize(at);
      return;
    default: {  // the end of another
      const Bytes& other = inputs[below(inputs.size())];
      const auto from = other.begin() + static_cast<Place>(below(other.size()));
      bytes.erase(begin, bytes.end());
      bytes.insert(bytes.end(), from, other.end());
    }
  }
}

}  // namespace ziggurat::fuzz
