// Two inflaters, the same result. Over the columns of several maps, in chunks of 6,000 and 16,384
// elements, libdeflate was faster where literals and short matches abound (column ids: 6.5 to 8 ns
// an element against 8 to 9) and ISA-L where long runs do (row ids 6.4 against 8 to 11, sparse
// counts 3.4 against 4.3 to 5.1; in the smaller chunks). The ratio of sizes tells them apart well
// enough. What ISA-L does not accept goes to libdeflate, which thus words every error, and which
// does it all where ISA-L was not to be had.
#include "codec/inflate.hpp"

#include <libdeflate.h>

#ifdef ZIGGURAT_HAS_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include <cstdint>
#include <limits>
#include <new>

#include "base/check.hpp"

namespace ziggurat::codec {
namespace {

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* handle) const { libdeflate_free_decompressor(handle); }
};

[[noreturn]] void damaged(const char* why) {
  fail(ErrorCode::format, "compressed chunk is damaged: {}", why);
}

#ifdef ZIGGURAT_HAS_ISAL

constexpr std::size_t kMostlyRuns = 20;  // bytes out for a byte in

bool is_mostly_runs(std::span<const std::byte> stream, std::span<const std::byte> out) {
  return out.size() / kMostlyRuns >= stream.size() &&
         out.size() <= std::numeric_limits<std::uint32_t>::max();
}

// False when the stream is not exactly what was asked for, whatever the reason.
bool inflate_runs(inflate_state& state, std::span<const std::byte> stream,
                  std::span<std::byte> out) {
  isal_inflate_init(&state);
  state.crc_flag = ISAL_ZLIB;
  // ISA-L's structure lacks the const that its inflate keeps to.
  state.next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(stream.data()));
  state.avail_in = static_cast<std::uint32_t>(stream.size());
  state.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  state.avail_out = static_cast<std::uint32_t>(out.size());
  return isal_inflate_stateless(&state) == ISAL_DECOMP_OK && state.avail_in == 0 &&
         state.avail_out == 0;
}

#endif

}  // namespace

struct Inflater::State {
  std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor{
      libdeflate_alloc_decompressor()};
#ifdef ZIGGURAT_HAS_ISAL
  inflate_state runs;
#endif
};

Inflater::Inflater() : state_(std::make_unique<State>()) {
  if (!state_->decompressor) throw std::bad_alloc();
}
Inflater::~Inflater() = default;
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;

void Inflater::inflate(std::span<const std::byte> zlib_stream, std::span<std::byte> out) {
#ifdef ZIGGURAT_HAS_ISAL
  if (is_mostly_runs(zlib_stream, out) && inflate_runs(state_->runs, zlib_stream, out)) return;
#endif
  std::size_t used = 0;
  std::size_t made = 0;
  const libdeflate_result result =
      libdeflate_zlib_decompress_ex(state_->decompressor.get(), zlib_stream.data(),
                                    zlib_stream.size(), out.data(), out.size(), &used, &made);
  if (result == LIBDEFLATE_INSUFFICIENT_SPACE) damaged("it holds more than its chunk");
  if (result != LIBDEFLATE_SUCCESS) damaged("its stream or checksum is wrong");
  if (made != out.size()) damaged("it holds less than its chunk");
  if (used != zlib_stream.size()) damaged("bytes follow its end");
}

}  // namespace ziggurat::codec
