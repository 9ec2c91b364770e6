// Owning handles over HDF5 identifiers, and the one place where HDF5 return values become errors.
//
// Every handle closes itself and ignores the result: for files opened for writing that is safe
// because write failures are kept by the output driver and asked for before a commit.
// Thread rule: the library is used from one thread at a time in each of our processes.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "base/check.hpp"

namespace ziggurat::h5 {

template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  [[nodiscard]] hid_t id() const { return id_; }
  [[nodiscard]] bool valid() const { return id_ >= 0; }
  void reset() {
    if (id_ >= 0) Close(id_);
    id_ = H5I_INVALID_HID;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Dataset = Handle<H5Dclose>;
using Datatype = Handle<H5Tclose>;
using Dataspace = Handle<H5Sclose>;
using Attribute = Handle<H5Aclose>;
using PropertyList = Handle<H5Pclose>;
using Object = Handle<H5Oclose>;

// While it lives, HDF5 prints nothing by itself; the caller's own handler is put back afterwards.
class QuietErrors {
 public:
  QuietErrors() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// For programs, once, before any other HDF5 call; never for a host of the library. At exit HDF5
// tries to close what is still open, for which it may take for ever after a failure, and prints so.
void skip_cleanup_at_exit() noexcept;

// The innermost sentence on HDF5's error stack, or "unknown HDF5 error".
[[nodiscard]] std::string last_error();

// Throws Error "cannot WHAT OBJECT: <HDF5's reason>" for a call that failed just now. Where the
// system could not read, that is no fault of the format: `code` format becomes input.
[[noreturn]] void explain_failure(const char* what, const std::string& object, ErrorCode code);
// The same for something that is told by its name within an object that is open.
[[noreturn]] void explain_failure_in(hid_t place, const char* what, const std::string& name);

// value when it is not negative; otherwise explain_failure.
template <typename T>
T check(T value, const char* what, const std::string& object, ErrorCode code = ErrorCode::format) {
  if (value < 0) explain_failure(what, object, code);
  return value;
}

template <typename T>
T check_in(hid_t place, T value, const char* what, const std::string& name) {
  if (value < 0) explain_failure_in(place, what, name);
  return value;
}

}  // namespace ziggurat::h5
