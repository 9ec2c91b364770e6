#include "engine/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

#include "base/check.hpp"
#include "codec/gunzip.hpp"

namespace ziggurat::engine {

namespace {

// A few bytes of gzip may claim any length.
constexpr std::size_t kLongestText = std::size_t{1} << 30;

}  // namespace

std::string read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) {
    fail(ErrorCode::input, "cannot read {}: {}", path, std::strerror(errno));
  }
  const auto raw = std::as_bytes(std::span(bytes));
  return codec::is_gzip(raw) ? codec::gunzip(raw, kLongestText) : bytes;
}

}  // namespace ziggurat::engine
