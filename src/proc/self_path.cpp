#include "proc/self_path.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <string_view>

#include "proc/system_error.hpp"

namespace ziggurat::proc {
namespace {

constexpr const char* kSelfLink = "/proc/self/exe";

// What the kernel appends when the file has lost its name.
constexpr std::string_view kDeletedMark = " (deleted)";

}  // namespace

std::string self_path() {
  std::array<char, PATH_MAX> buffer;
  const ssize_t length = ::readlink(kSelfLink, buffer.data(), buffer.size());
  if (length < 0) fail_errno(ErrorCode::io, "cannot find the running program", errno);
  std::string path(buffer.data(), static_cast<std::size_t>(length));
  // The link itself still leads to the running build, in a child before its exec as well.
  if (path.ends_with(kDeletedMark)) return kSelfLink;
  return path;
}

}  // namespace ziggurat::proc
