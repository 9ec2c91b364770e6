// From errno to Error, for the calls of this layer.
#pragma once

#include <string>

#include "ziggurat/error.hpp"

namespace ziggurat::proc {

// Throws Error{code}: "<what>: <text of error_number>".
[[noreturn]] void fail_errno(ErrorCode code, const std::string& what, int error_number);

}  // namespace ziggurat::proc
