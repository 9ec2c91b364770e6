// Small text files that a command names: lists of chromosomes, bins.
// Thread rules: a free function of its argument.
#pragma once

#include <string>

namespace ziggurat::engine {

// The whole text, inflated when it is gzip. Throws Error: input "cannot read FILE: reason", format
// when it is damaged or longer than a GiB.
[[nodiscard]] std::string read_text_file(const std::string& path);

}  // namespace ziggurat::engine
