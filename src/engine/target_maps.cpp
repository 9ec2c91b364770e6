#include "engine/target_maps.hpp"

#include "ziggurat/inspect.hpp"

namespace ziggurat::engine {

std::vector<genome::Uri> target_maps(const std::string& target, const std::string& reader_program,
                                     Observer* observer) {
  const genome::Uri uri = genome::parse_uri(target);
  if (uri.group != "/") return {uri};
  std::vector<genome::Uri> maps;
  for (const std::string& group : list_maps(uri.file, reader_program, observer)) {
    if (group == "/") return {uri};
    maps.push_back({uri.file, group});
  }
  // Describing the root says what is wrong with it.
  if (maps.empty()) maps.push_back(uri);
  return maps;
}

}  // namespace ziggurat::engine
