// The one exception type that ziggurat throws on purpose.
//
// what() is one line without a trailing newline: what failed, on which object, why, and what to do
// about it where that is known. Thread rules: a value like std::runtime_error, freely copyable.
#pragma once

#include <stdexcept>
#include <string>

#include "ziggurat/export.hpp"

namespace ziggurat {

// Kinds of failure, by what the caller can do about them. The numbers cross process boundaries.
enum class ErrorCode : int {
  usage = 1,      // the request makes no sense: options, grammar, impossible resolutions
  input = 2,      // the source cannot be had: missing, unreadable, changed while it was read
  format = 3,     // the source breaks a rule of its format
  io = 4,         // writing failed: full disk, permissions, a broken device
  worker = 5,     // a reader process died or spoke nonsense
  cancelled = 6,  // the caller asked to stop
  busy = 7,       // somebody else holds what is needed; trying again later may work
  internal = 8,   // a fault of ours
  memory = 9,     // memory ran out; trying again with more of it may work
};

class ZIGGURAT_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace ziggurat
