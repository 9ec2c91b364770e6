// Decompression of gzip data (RFC 1952) that come piece by piece, of one member or many: a bgzip
// file is many. Memory does not depend on their length. Safe on hostile input.
// Thread rules: one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace ziggurat::codec {

class GzipStream {
 public:
  GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream();

  // Inflates from the front of `in` into `out` until one of them is used up; drops from `in` what
  // it took. Returns the bytes written. Zero bytes after a member are padding. Throws Error{format}
  // when the data are damaged.
  std::size_t inflate(std::span<const std::byte>& in, std::span<std::byte> out);

  // All that was taken so far ends where a member does: an end here is no cut.
  [[nodiscard]] bool complete() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ziggurat::codec
