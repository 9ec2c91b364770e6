#include "ziggurat/arrange.hpp"

#include <algorithm>
#include <filesystem>

#include "base/check.hpp"
#include "cool/map_links.hpp"
#include "engine/output.hpp"
#include "engine/paths.hpp"
#include "genome/uri.hpp"
#include "h5/handle.hpp"
#include "h5/journal.hpp"
#include "proc/reader_program.hpp"
#include "ziggurat/inspect.hpp"

namespace ziggurat {

void place_map(const PlaceRequest& request) {
  const h5::QuietErrors quiet;
  const genome::Uri source = genome::parse_uri(request.source);
  const genome::Uri target = genome::parse_uri(request.target);
  const std::string program = proc::reader_program(request.reader_program);
  h5::recover(source.file, h5::posix_file_ops(), request.lock_timeout);
  const engine::FileIdentity identity = engine::identify(source.file);
  if (!engine::exists(target.file) || !engine::identify(target.file).same_file(identity)) {
    fail(ErrorCode::usage,
         "{} and {} are not in one file: a map has names in its own file only; cp copies it",
         request.source, request.target);
  }
  if (source.group == "/" || target.group == "/") {
    fail(ErrorCode::usage, "a map at the root of a file has no name to change; cp copies it");
  }
  if (source.group == target.group) {
    fail(ErrorCode::usage, "{} and {} are the same map", request.source, request.target);
  }
  const std::vector<std::string> maps = list_maps(source.file, program);
  const auto is_map = [&](const std::string& group) {
    return std::find(maps.begin(), maps.end(), group) != maps.end();
  };
  if (!is_map(source.group)) fail(ErrorCode::usage, "there is no map at {}", request.source);
  if (is_map(target.group) && !request.overwrite) {
    fail(ErrorCode::usage, "there is a map at {} already", request.target);
  }
  engine::check_group(target.file, target.group, true, program);
  cool::place_group(std::filesystem::canonical(source.file).string(), source.group, target.group,
                    request.placing, request.lock_timeout, [&] {
                      if (engine::identify(source.file) == identity) return;
                      fail(ErrorCode::input, "{} was changed meanwhile: nothing was done",
                           source.file);
                    });
}

}  // namespace ziggurat
