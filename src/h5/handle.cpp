#include "h5/handle.hpp"

namespace ziggurat::h5 {

namespace {

// The walk starts at the innermost record, which is the cause; the outer ones only retell it.
herr_t keep_first(unsigned, const H5E_error2_t* record, void* text) {
  auto& kept = *static_cast<std::string*>(text);
  if (kept.empty() && record->desc != nullptr) kept = record->desc;
  return 0;
}

}  // namespace

std::string last_error() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  return text.empty() ? "unknown HDF5 error" : text;
}

}  // namespace ziggurat::h5
