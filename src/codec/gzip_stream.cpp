// libdeflate wants a member as a whole, and a member may be longer than memory; ISA-L inflates
// piece by piece at two to three times the speed of zlib, which stands in where ISA-L was not to be
// had.
#include "codec/gzip_stream.hpp"

#ifdef ZIGGURAT_HAS_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

#include "base/check.hpp"

namespace ziggurat::codec {

namespace {

[[noreturn]] void damaged() { fail(ErrorCode::format, "the gzip data are damaged"); }

// Both libraries count in 32 bits.
template <typename Bytes>
std::uint32_t at_most_32_bits(Bytes bytes) {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(bytes.size(), std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

#ifdef ZIGGURAT_HAS_ISAL

struct GzipStream::State {
  inflate_state stream;
  bool within_member = false;
  bool any = false;

  void begin() {
    isal_inflate_init(&stream);
    stream.crc_flag = ISAL_GZIP;
  }
  // Whether the member is at its end.
  bool step() {
    if (isal_inflate(&stream) < ISAL_DECOMP_OK) damaged();
    return stream.block_state == ISAL_BLOCK_FINISH;
  }
};

#else

struct GzipStream::State {
  z_stream stream{};
  bool within_member = false;
  bool any = false;

  State() {
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { inflateEnd(&stream); }

  void begin() { inflateReset(&stream); }
  bool step() {
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_BUF_ERROR && status != Z_STREAM_END) damaged();
    return status == Z_STREAM_END;
  }
};

#endif

GzipStream::GzipStream() : state_(std::make_unique<State>()) {}
GzipStream::~GzipStream() = default;

bool GzipStream::complete() const { return !state_->within_member; }

std::size_t GzipStream::inflate(std::span<const std::byte>& in, std::span<std::byte> out) {
  std::size_t made = 0;
  while (made < out.size()) {
    if (!state_->within_member) {
      while (state_->any && !in.empty() && in.front() == std::byte{0}) in = in.subspan(1);
      if (in.empty()) break;
      state_->begin();
      state_->within_member = true;
      state_->any = true;
    }
    auto& stream = state_->stream;
    // Neither library writes to its input, though ISA-L's structure lacks the const.
    stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(in.data()));
    stream.avail_in = at_most_32_bits(in);
    stream.next_out = reinterpret_cast<std::uint8_t*>(out.data() + made);
    stream.avail_out = at_most_32_bits(out.subspan(made));
    const std::size_t offered = stream.avail_in;
    const std::size_t room = stream.avail_out;
    state_->within_member = !state_->step();
    const std::size_t taken = offered - stream.avail_in;
    const std::size_t written = room - stream.avail_out;
    in = in.subspan(taken);
    made += written;
    if (taken == 0 && written == 0 && state_->within_member) {
      if (in.empty()) break;
      damaged();
    }
  }
  return made;
}

}  // namespace ziggurat::codec
