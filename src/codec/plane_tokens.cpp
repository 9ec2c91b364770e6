// Two ways to cut a plane.
//
// Runs: deflate's matches at distance 1 only. Where equal neighbours begin and end is known as a
// bit mask, so the cost is that of the tokens, not of the bytes. On counts (85 % ones) this beats
// zlib's level 9 in size, because no literal is spent on far matches that a Huffman code makes
// dear.
//
// Repeats: LZ77 with two places a hash of four bytes, and lazy matching while the match is short.
// The lowest plane of column ids is close to noise in sparse maps, where three equal bytes cost as
// much as a match, hence the minimum of four; in dense maps a row repeats the row before it, and
// any match finder sees that. Runs are looked for in the mask first, since distance 1 is the
// cheapest there is. The second place saves 0.5 % of sparse ids and 1 to 12 % of dense ones for a
// quarter more time; asking for longer matches at greater distances saved nothing.
#include "codec/plane_tokens.hpp"

#include <algorithm>
#include <bit>

namespace ziggurat::codec {
namespace {

constexpr std::size_t kMinRepeat = 4;
constexpr std::size_t kLongEnough = 32;  // a match not worth trying to better

std::uint32_t load4(const std::byte* from) {
  std::uint32_t word;
  std::memcpy(&word, from, 4);
  return word;
}

// How many bytes a and b have in common, at most `most`. Both are readable 8 bytes past it.
std::size_t common_length(const std::byte* a, const std::byte* b, std::size_t most) {
  for (std::size_t n = 0; n < most; n += 8) {
    std::uint64_t x;
    std::uint64_t y;
    std::memcpy(&x, a + n, 8);
    std::memcpy(&y, b + n, 8);
    if (x != y) {
      return std::min(most, n + static_cast<std::size_t>(std::countr_zero(x ^ y)) / 8);
    }
  }
  return most;
}

// The match of `at` with the place before it that has these lower bits. Inlined by force: this is
// the inner loop, twice a byte.
[[gnu::always_inline]] inline RepeatFinder::Match match_with(std::span<const std::byte> plane,
                                                             std::size_t at, std::uint16_t place) {
  const std::byte* here = plane.data() + at;
  const std::size_t distance = (at - place) & 0xFFFF;
  if (distance == 0 || distance > std::min(at, kMaxDistance)) return {};
  if (load4(here - distance) != load4(here)) return {};
  const std::size_t most = plane.size() - at - kMinRepeat;
  return {kMinRepeat + common_length(here + kMinRepeat, here + kMinRepeat - distance, most),
          distance};
}

// Pieces of at most kMaxMatch, none below kMinMatch.
void add_long_match(std::size_t length, std::size_t distance, Tokens& tokens) {
  while (length > 0) {
    std::size_t piece = std::min(length, kMaxMatch);
    const std::size_t rest = length - piece;
    if (rest > 0 && rest < kMinMatch) piece -= kMinMatch - rest;
    tokens.add_match(piece, distance);
    length -= piece;
  }
}

}  // namespace

void tokenize_constant(std::byte value, std::size_t n, Tokens& tokens) {
  tokens.reserve(n);
  tokens.add_literal(value);
  tokens.add_run(value, n - 1);
}

void tokenize_runs(std::span<const std::byte> plane, const RunMask& mask, Tokens& tokens) {
  tokens.reserve(plane.size());
  std::size_t at = 0;
  while (at < plane.size()) {
    const std::size_t run = mask.next_run(at);
    tokens.add_literals(plane.data() + at, run - at);
    if (run == plane.size()) break;
    at = mask.run_end(run);
    tokens.add_run(plane[run], at - run);
  }
}

// Makes the places first..end-1 known, as far as four bytes follow them.
void RepeatFinder::enter(std::span<const std::byte> plane, std::size_t first, std::size_t end) {
  end = std::min(end, plane.size() - (kMinRepeat - 1));
  for (std::size_t at = first; at < end; ++at) {
    places(load4(plane.data() + at)).enter(at);
  }
}

RepeatFinder::Match RepeatFinder::repeat_at(std::span<const std::byte> plane, std::size_t at) {
  Places& seen = places(load4(plane.data() + at));
  const Match newest = match_with(plane, at, seen.newest);
  const Match older = match_with(plane, at, seen.older);
  seen.enter(at);
  return older.length > newest.length ? older : newest;
}

RepeatFinder::Match RepeatFinder::best_at(std::span<const std::byte> plane, const RunMask& mask,
                                          std::size_t at) {
  const Match repeat = repeat_at(plane, at);
  if (!mask.repeats(at)) return repeat;
  const std::size_t run = mask.run_end(at) - at;
  if (run >= kMinMatch && run + 1 >= repeat.length) return {run, 1};
  return repeat;
}

void RepeatFinder::tokenize(std::span<const std::byte> plane, const RunMask& mask, Tokens& tokens) {
  tokens.reserve(plane.size());
  table_.fill({});
  std::size_t literals_from = 0;
  std::size_t at = 0;
  while (at + kMinRepeat <= plane.size()) {
    Match match = best_at(plane, mask, at);
    if (match.length == 0) {
      ++at;
      continue;
    }
    while (match.length < kLongEnough && at + 1 + kMinRepeat <= plane.size()) {
      const Match later = repeat_at(plane, at + 1);
      if (later.length <= match.length) break;
      match = later;
      ++at;
    }
    tokens.add_literals(plane.data() + literals_from, at - literals_from);
    add_long_match(match.length, match.distance, tokens);
    const std::size_t end = at + match.length;
    // Within a run all places hash alike; its last ones, which see what follows it, are enough.
    enter(plane, match.distance == 1 ? end - kMinMatch : at + 1, end);
    at = end;
    literals_from = end;
  }
  tokens.add_literals(plane.data() + literals_from, plane.size() - literals_from);
}

}  // namespace ziggurat::codec
