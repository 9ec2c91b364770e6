#include "h5/handle.hpp"

#include <array>
#include <string>
#include <string_view>

namespace ziggurat::h5 {

namespace {

constexpr std::size_t kLongestName = 1024;

// The walk starts at the innermost record, which is the cause; the outer ones only retell it.
herr_t keep_first(unsigned, const H5E_error2_t* record, void* text) {
  auto& kept = *static_cast<std::string*>(text);
  if (kept.empty() && record->desc != nullptr) kept = record->desc;
  return 0;
}

struct Failure {
  bool of_system = false;  // a call to the system failed, as a read on a broken disk
  std::string reason;
};

// Of the call that failed last; further calls clear it away.
Failure last_failure() {
  std::string record;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &record);
  if (record.empty()) return {.reason = "unknown HDF5 error"};
  // HDF5 wraps the system's reason into its own state of affairs: "file read failed: time = ...,
  // errno = 5, error message = 'Input/output error', buf = ...".
  constexpr std::string_view kBefore = "error message = '";
  const std::size_t found = record.find(kBefore);
  if (found == std::string::npos) return {.reason = record};
  const std::size_t begin = found + kBefore.size();
  return {.of_system = true, .reason = record.substr(begin, record.find('\'', begin) - begin)};
}

ErrorCode code_of(const Failure& failure, ErrorCode code) {
  return failure.of_system && code == ErrorCode::format ? ErrorCode::input : code;
}

}  // namespace

void skip_cleanup_at_exit() noexcept { H5dont_atexit(); }

std::string last_error() { return last_failure().reason; }

void explain_failure(const char* what, const std::string& object, ErrorCode code) {
  const Failure failure = last_failure();
  fail(code_of(failure, code), "cannot {} {}: {}", what, object, failure.reason);
}

void explain_failure_in(hid_t place, const char* what, const std::string& name) {
  const Failure failure = last_failure();
  std::array<char, kLongestName> file{};
  std::array<char, kLongestName> path{};
  H5Fget_name(place, file.data(), file.size());
  H5Iget_name(place, path.data(), path.size());
  fail(code_of(failure, ErrorCode::format), "cannot {} {} in {}::{}: {}", what, name, file.data(),
       path.data(), failure.reason);
}

}  // namespace ziggurat::h5
