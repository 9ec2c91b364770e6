#include "codec/inflate.hpp"

#include <libdeflate.h>

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

}  // namespace

struct Inflater::State {
  std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor{
      libdeflate_alloc_decompressor()};
};

Inflater::Inflater() : state_(std::make_unique<State>()) {
  if (!state_->decompressor) throw std::bad_alloc();
}
Inflater::~Inflater() = default;
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;

void Inflater::inflate(std::span<const std::byte> zlib_stream, std::span<std::byte> out) {
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
