// A gzip member of a piece of text. Members may follow one another in a file.
// Thread rules: one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

struct libdeflate_compressor;

namespace ziggurat::codec {

class GzipEncoder {
 public:
  // `level`: 1 (fastest) to 9 (smallest).
  explicit GzipEncoder(int level);
  ~GzipEncoder();
  GzipEncoder(const GzipEncoder&) = delete;
  GzipEncoder& operator=(const GzipEncoder&) = delete;

  // Valid until the next call.
  [[nodiscard]] std::span<const std::byte> encode(std::span<const std::byte> data);

 private:
  struct Free {
    void operator()(libdeflate_compressor* compressor) const;
  };
  std::unique_ptr<libdeflate_compressor, Free> compressor_;
  std::vector<std::byte> out_;
};

}  // namespace ziggurat::codec
