#include "genome/uri.hpp"

#include "base/check.hpp"

namespace ziggurat::genome {
namespace {

constexpr std::string_view kSeparator = "::";

std::string absolute_group(std::string_view group) {
  while (group.ends_with('/')) group.remove_suffix(1);
  std::string absolute(group);
  if (!absolute.starts_with('/')) absolute.insert(absolute.begin(), '/');
  return absolute;
}

}  // namespace

Uri parse_uri(std::string_view text) {
  const std::size_t separator = text.find(kSeparator);
  if (text.empty() || separator == 0) {
    fail(ErrorCode::usage, "'{}' names no file; write FILE or FILE::GROUP", text);
  }
  if (separator == std::string_view::npos) return {std::string(text), "/"};
  const std::string_view group = text.substr(separator + kSeparator.size());
  if (group.find(kSeparator) != std::string_view::npos) {
    fail(ErrorCode::usage, "'{}' has more than one '::'; write FILE or FILE::GROUP", text);
  }
  return {std::string(text.substr(0, separator)), absolute_group(group)};
}

std::string to_string(const Uri& uri) {
  return uri.group == "/" ? uri.file : uri.file + std::string(kSeparator) + uri.group;
}

}  // namespace ziggurat::genome
