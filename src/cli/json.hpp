// The little JSON that the program writes by itself.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace ziggurat::cli {

// Text as a JSON string, in quotes. UTF-8 is kept as it is.
inline std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace ziggurat::cli
