// Where the running program lies.
#pragma once

#include <string>

namespace ziggurat::proc {

// A path that starts the running program again, the same build even when the file was replaced or
// removed meanwhile. Throws Error{io} without /proc.
[[nodiscard]] std::string self_path();

}  // namespace ziggurat::proc
