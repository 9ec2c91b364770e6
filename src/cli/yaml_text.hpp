// Values as YAML, to the byte as PyYAML's dump writes them: block style, keys sorted, lines folded
// at 80 columns.
// Thread rules: free functions of their arguments.
#pragma once

#include <string>

#include "cli/py_value.hpp"

namespace ziggurat::cli {

[[nodiscard]] std::string yaml_dump(const PyValue& dict);

}  // namespace ziggurat::cli
