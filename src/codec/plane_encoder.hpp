// A zlib stream made of byte planes, plane by plane. Internal to codec.
#pragma once

#include <cstddef>
#include <span>

#include "codec/adler.hpp"
#include "codec/bit_writer.hpp"
#include "codec/plane_tokens.hpp"
#include "codec/run_mask.hpp"
#include "codec/tokens.hpp"

namespace ziggurat::codec {

// Whether repeats are looked for in a plane that runs alone do not settle: at once, or when they
// save anything, or so much, of a sample of it. A code is made for its bytes on the same terms.
enum class Repeats { always, when_smaller, when_a_sixteenth_smaller, when_an_eighth_smaller };

class PlaneEncoder {
 public:
  // Starts a stream; whatever was there is gone.
  void begin();

  // Whether so many stretches of one value in a plane are best told as such, without looking for
  // more in it.
  [[nodiscard]] static bool is_quiet(std::size_t stretches, std::size_t bytes) {
    constexpr std::size_t kQuiet = 16;
    return stretches * kQuiet <= bytes + kQuiet;
  }

  // n times the same byte.
  void add_constant(std::byte value, std::size_t n);

  // plane must be readable for kPlaneSlack bytes past its end.
  void add_plane(std::span<const std::byte> plane, Repeats repeats);

  // Ends the stream. Valid until the next begin.
  [[nodiscard]] std::span<const std::byte> finish();

 private:
  enum class Cut { stored, runs, repeats };

  void add_piece(std::span<const std::byte> piece, Repeats repeats);
  void write_own_block(std::span<const std::byte> piece, Repeats repeats);
  [[nodiscard]] Cut choose(std::span<const std::byte> piece, Repeats repeats);
  void joined(std::size_t bytes);
  void flush_pending();

  Adler checksum_;
  BitWriter out_;
  Tokens pending_;  // of the quiet planes since the last block
  std::size_t pending_bytes_ = 0;
  Tokens tokens_;
  Tokens other_tokens_;
  RunMask mask_;
  RunMask sample_mask_;
  RepeatFinder finder_;
};

}  // namespace ziggurat::codec
