// Problem: deflate the shuffled columns of a pixel table. General encoders treat the chunk as bytes
// of one kind and spend most of their time looking for matches that are not there; yet the planes
// differ in kind, and each kind has a cheap best way:
//   planes 3..7 of ids, 1..3 of counts   zeros: known without a look, 2 bits in 258 bytes
//   row ids, upper planes                few changes: runs
//   counts, lowest plane                 mostly one value: runs and a Huffman code
//   column ids, planes 0 and 1           noise in sparse maps, repeats of the row before in dense
//   ones mantissas                            noise: stored
//
// Method: quiet planes (at most one change in 16 bytes) are cut into runs and join one block, so
// that they pay for one header. Any other plane has a block of its own, with codes of its own: cut
// into runs or into runs and repeats, or stored as it is, whichever a sample of it says saves
// enough bits for the time it takes. A plane cut into tokens is stored all the same when that turns
// out to be no longer. Sizes are computed, never estimated by floating-point numbers, and no choice
// depends on the processor: the same bytes everywhere.
//
// Cost and size: docs/deflate.md.
//
// Planes longer than kPieceBytes are cut, which bounds the memory and keeps symbol counts within
// what make_codes takes.
#include "codec/plane_encoder.hpp"

#include <algorithm>

#include "codec/deflate_block.hpp"

namespace ziggurat::codec {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
// Long enough to count symbols, with what may be repeated before it, and short enough to cost a
// tenth of the plane.
constexpr std::size_t kSampleBytes = 1024;
constexpr std::size_t kSampleHistory = 8192;
constexpr std::size_t kMostlyRuns = 3;  // bytes for a change, settled by runs

// What a cut that costs more time must save of these bits.
std::uint64_t least_gain(Repeats repeats, std::uint64_t bits) {
  switch (repeats) {
    case Repeats::when_an_eighth_smaller:
      return bits / 8;
    case Repeats::when_a_sixteenth_smaller:
      return bits / 16;
    default:
      return 0;
  }
}

}  // namespace

void PlaneEncoder::begin() {
  checksum_ = Adler();
  pending_.clear();
  pending_bytes_ = 0;
  out_.clear();
  out_.reserve(2);
  out_.put(0x78, 8);  // deflate, a window of 32 KiB
  out_.put(0x9C, 8);  // the usual level, no dictionary
  out_.flush();
}

void PlaneEncoder::add_constant(std::byte value, std::size_t n) {
  checksum_.update_constant(value, n);
  while (n > 0) {
    const std::size_t piece = std::min(n, kPieceBytes);
    tokenize_constant(value, piece, pending_);
    joined(piece);
    n -= piece;
  }
}

void PlaneEncoder::add_plane(std::span<const std::byte> plane, Repeats repeats) {
  checksum_.update(plane);
  while (!plane.empty()) {
    const std::size_t piece = std::min(plane.size(), kPieceBytes);
    add_piece(plane.first(piece), repeats);
    plane = plane.subspan(piece);
  }
}

void PlaneEncoder::add_piece(std::span<const std::byte> piece, Repeats repeats) {
  mask_.scan(piece);
  if (is_quiet(mask_.breaks(), piece.size())) {
    tokenize_runs(piece, mask_, pending_);
    joined(piece.size());
  } else {
    flush_pending();
    write_own_block(piece, repeats);
  }
}

void PlaneEncoder::write_own_block(std::span<const std::byte> piece, Repeats repeats) {
  const Cut cut = repeats == Repeats::always ? Cut::repeats : choose(piece, repeats);
  tokens_.clear();
  if (cut == Cut::stored) return write_stored(piece, out_);
  if (cut == Cut::repeats) {
    finder_.tokenize(piece, 0, tokens_);
  } else {
    tokenize_runs(piece, mask_, tokens_);
  }
  const BlockPlan plan(tokens_);
  if (plan.bits() < stored_bits(piece.size())) {
    plan.write(tokens_, Position::inner, out_);
  } else {
    write_stored(piece, out_);
  }
}

PlaneEncoder::Cut PlaneEncoder::choose(std::span<const std::byte> piece, Repeats repeats) {
  if (mask_.breaks() * kMostlyRuns <= piece.size()) return Cut::runs;
  const std::size_t n = std::min(piece.size(), kSampleBytes);
  const std::size_t first = (piece.size() - n) / 2;
  const std::size_t history = std::min(first, kSampleHistory);
  const std::span<const std::byte> sample = piece.subspan(first, n);
  sample_mask_.scan(sample);
  tokens_.clear();
  tokenize_runs(sample, sample_mask_, tokens_);
  other_tokens_.clear();
  finder_.tokenize(piece.subspan(first - history, history + n), history, other_tokens_);
  const std::uint64_t stored = 8 * n;
  const std::uint64_t runs = std::min(entropy_bits(tokens_), stored);
  if (entropy_bits(other_tokens_) + least_gain(repeats, runs) < runs) return Cut::repeats;
  return runs + least_gain(repeats, stored) < stored ? Cut::runs : Cut::stored;
}

void PlaneEncoder::joined(std::size_t bytes) {
  pending_bytes_ += bytes;
  if (pending_bytes_ >= kPieceBytes) flush_pending();
}

void PlaneEncoder::flush_pending() {
  if (pending_.empty()) return;
  BlockPlan(pending_).write(pending_, Position::inner, out_);
  pending_.clear();
  pending_bytes_ = 0;
}

std::span<const std::byte> PlaneEncoder::finish() {
  if (pending_.empty()) {
    write_empty_last(out_);
  } else {
    BlockPlan(pending_).write(pending_, Position::last, out_);
  }
  out_.reserve(8);
  out_.align_to_byte();
  for (int shift = 24; shift >= 0; shift -= 8) out_.put(checksum_.value() >> shift & 0xFF, 8);
  out_.flush();
  return out_.bytes();
}

}  // namespace ziggurat::codec
