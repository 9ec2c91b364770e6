// libdeflate wants to be told how long a member is at most, and a member says so only in its last
// bytes, which cannot be found without inflating it. So room is doubled until the member fits;
// inflating the first part again costs no more than the last try.
#include "codec/gunzip.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string_view>

#include "base/check.hpp"

namespace ziggurat::codec {

namespace {

using Decompressor =
    std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>;

// The name and the length of the extra field that holds a member's length.
constexpr std::string_view kBgzipField{"BC\2\0", 4};
constexpr std::string_view kBgzipEnd{
    "\x1f\x8b\x08\4\0\0\0\0\0\xff\6\0BC\2\0\x1b\0\3\0\0\0\0\0\0\0\0\0", kBgzipEndBytes};

constexpr std::size_t kFirstRoom = std::size_t{1} << 16;

// Appends one member and returns the bytes that it took.
std::size_t append_member(libdeflate_decompressor* decompressor, std::span<const std::byte> bytes,
                          std::size_t limit, std::string& out) {
  const std::size_t before = out.size();
  for (std::size_t room = std::max(kFirstRoom, 4 * bytes.size());; room *= 2) {
    const bool last_try = room >= limit - before;
    out.resize(before + std::min(room, limit - before));
    std::size_t used = 0;
    std::size_t made = 0;
    const libdeflate_result result =
        libdeflate_gzip_decompress_ex(decompressor, bytes.data(), bytes.size(), out.data() + before,
                                      out.size() - before, &used, &made);
    if (result == LIBDEFLATE_SUCCESS) {
      out.resize(before + made);
      return used;
    }
    if (result != LIBDEFLATE_INSUFFICIENT_SPACE) {
      fail(ErrorCode::format, "the gzip data are damaged or cut short");
    }
    if (last_try) fail(ErrorCode::format, "the gzip data hold more than {} bytes", limit);
  }
}

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

bool is_bgzip(std::span<const std::byte> bytes) {
  constexpr std::byte kExtraField{4};
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return is_gzip(bytes) && bytes.size() >= kBgzipHeadBytes &&
         (bytes[3] & kExtraField) != std::byte{0} && text.substr(12, 4) == kBgzipField;
}

bool is_bgzip_end(std::span<const std::byte> last_bytes) {
  const std::string_view text(reinterpret_cast<const char*>(last_bytes.data()), last_bytes.size());
  return text == kBgzipEnd;
}

std::string gunzip(std::span<const std::byte> bytes, std::size_t limit) {
  const Decompressor decompressor(libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  const auto is_padding = [](std::byte b) { return b == std::byte{0}; };
  std::string out;
  do {
    bytes = bytes.subspan(append_member(decompressor.get(), bytes, limit, out));
  } while (!std::all_of(bytes.begin(), bytes.end(), is_padding));
  return out;
}

}  // namespace ziggurat::codec
