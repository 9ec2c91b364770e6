// Names of maps within a file that is changed in place.
// Thread rules: one thread.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "ziggurat/arrange.hpp"

namespace ziggurat::cool {

// Gives the group `from` the name `to`, in place of or beside its own; what bears that name already
// goes. Groups on the way are made. `check` is called once the file is locked, and may throw.
// Throws Error{usage} when both names lead to one map; Error{io}, Error{busy}.
void place_group(const std::string& path, const std::string& from, const std::string& to,
                 Placing placing, std::chrono::milliseconds lock_timeout,
                 const std::function<void()>& check);

}  // namespace ziggurat::cool
