// Which maps a command is about that takes a map or a whole file.
// Thread rules: a free function; it starts a reader.
#pragma once

#include <string>
#include <vector>

#include "genome/uri.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat::engine {

// The map that the URI names; where that is the root of a file that holds its maps below, all of
// them. `observer` may be null. Throws as list_maps().
[[nodiscard]] std::vector<genome::Uri> target_maps(const std::string& target,
                                                   const std::string& reader_program,
                                                   Observer* observer);

}  // namespace ziggurat::engine
