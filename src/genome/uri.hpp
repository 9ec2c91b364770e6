// Addresses of data collections: a file, and a group inside it.
// Thread rules: free functions of their arguments.
#pragma once

#include <string>
#include <string_view>

namespace ziggurat::genome {

struct Uri {
  std::string file;         // path as written
  std::string group = "/";  // absolute, no slash at the end but for the root

  friend bool operator==(const Uri&, const Uri&) = default;
};

// FILE or FILE::GROUP, the group with or without its leading slash.
// Throws: Error{usage} for an empty file or more than one `::`.
[[nodiscard]] Uri parse_uri(std::string_view text);

// The shortest text that parse_uri turns into the same uri.
[[nodiscard]] std::string to_string(const Uri& uri);

}  // namespace ziggurat::genome
