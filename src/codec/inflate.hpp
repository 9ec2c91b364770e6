// Decompression of one stored chunk: a zlib stream (RFC 1950) whose inflated size is known.
//
// Safe on hostile input: neither the stream nor the output is touched outside its span, whatever
// the bytes say. Thread rules: one Inflater per thread; it keeps its scratch between calls.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace ziggurat::codec {

class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Inflates zlib_stream into out, which must be filled exactly; the Adler-32 is verified.
  // Throws Error{format} "compressed chunk is damaged: ..." for a bad, cut or too long stream, for
  // bytes after its end, and for data shorter or longer than out; out is then unspecified.
  void inflate(std::span<const std::byte> zlib_stream, std::span<std::byte> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ziggurat::codec
