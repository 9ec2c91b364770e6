#include "codec/zlib_stream.hpp"

#include <libdeflate.h>

#include <memory>
#include <new>

#include "base/check.hpp"

namespace ziggurat::codec {

namespace {

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const {
    libdeflate_free_compressor(compressor);
  }
};

}  // namespace

std::vector<std::byte> zlib_stream(std::span<const std::byte> data, int level) {
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(
      libdeflate_alloc_compressor(level));
  if (!compressor) throw std::bad_alloc();
  std::vector<std::byte> out(libdeflate_zlib_compress_bound(compressor.get(), data.size()));
  const std::size_t n =
      libdeflate_zlib_compress(compressor.get(), data.data(), data.size(), out.data(), out.size());
  if (n == 0) fail(ErrorCode::internal, "zlib: {} bytes do not fit their bound", data.size());
  out.resize(n);
  return out;
}

}  // namespace ziggurat::codec
