#include "codec/gzip.hpp"

#include <libdeflate.h>

#include <new>

#include "base/check.hpp"

namespace ziggurat::codec {

void GzipEncoder::Free::operator()(libdeflate_compressor* compressor) const {
  libdeflate_free_compressor(compressor);
}

GzipEncoder::GzipEncoder(int level) : compressor_(libdeflate_alloc_compressor(level)) {
  if (!compressor_) throw std::bad_alloc();
}

GzipEncoder::~GzipEncoder() = default;

std::span<const std::byte> GzipEncoder::encode(std::span<const std::byte> data) {
  out_.resize(libdeflate_gzip_compress_bound(compressor_.get(), data.size()));
  const std::size_t n = libdeflate_gzip_compress(compressor_.get(), data.data(), data.size(),
                                                 out_.data(), out_.size());
  if (n == 0) fail(ErrorCode::internal, "gzip: {} bytes do not fit their bound", data.size());
  return std::span(out_).first(n);
}

}  // namespace ziggurat::codec
