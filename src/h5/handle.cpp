#include "h5/handle.hpp"

#include <string_view>
#include <utility>

namespace ziggurat::h5 {

namespace {

// The walk starts at the innermost record, which is the cause; the outer ones only retell it.
herr_t keep_first(unsigned, const H5E_error2_t* record, void* text) {
  auto& kept = *static_cast<std::string*>(text);
  if (kept.empty() && record->desc != nullptr) kept = record->desc;
  return 0;
}

// HDF5 wraps the system's reason for a failed call into its own state of affairs: "file read
// failed: time = ..., errno = 5, error message = 'Input/output error', buf = ...".
std::string system_reason(std::string text) {
  constexpr std::string_view kBefore = "error message = '";
  const std::size_t found = text.find(kBefore);
  if (found == std::string::npos) return text;
  const std::size_t begin = found + kBefore.size();
  return text.substr(begin, text.find('\'', begin) - begin);
}

}  // namespace

void skip_cleanup_at_exit() noexcept { H5dont_atexit(); }

std::string last_error() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text.empty() ? "unknown HDF5 error" : system_reason(std::move(text));
}

}  // namespace ziggurat::h5
