#include "engine/output.hpp"

#include "base/check.hpp"
#include "engine/paths.hpp"
#include "engine/reader_pool.hpp"
#include "h5/journal.hpp"
#include "ziggurat/inspect.hpp"

namespace ziggurat::engine {

namespace {

// A map at the root has these groups; others beside them are free.
bool is_part_of_map(const std::string& group) {
  for (const char* part : {"/bins", "/chroms", "/indexes", "/pixels"}) {
    if (group == part || group.starts_with(std::string(part) + "/")) return true;
  }
  return false;
}

bool is_inside(const std::string& inner, const std::string& outer) {
  return inner != outer && inner.starts_with(outer == "/" ? outer : outer + "/");
}

}  // namespace

void check_group(const std::string& file, const std::string& group, bool append,
                 const std::string& reader_program) {
  if ((group + "/").find("/../") != std::string::npos ||
      (group + "/").find("/./") != std::string::npos) {
    fail(ErrorCode::usage, "group {} is no plain path", group);
  }
  if (!append || !exists(file)) return;
  for (const std::string& map : list_maps(file, reader_program)) {
    const bool in_root_map = map == "/" && !is_part_of_map(group);
    if (is_inside(map, group) || (is_inside(group, map) && !in_root_map)) {
      fail(ErrorCode::usage, "group {} lies inside or around the map {} of {}: name another group",
           group, map, file);
    }
  }
}

bool lead_to_one_map(const std::string& file, const std::string& group, const std::string& other,
                     const std::string& reader_program, Observer& observer) {
  const wire::Frame answer = ask_reader(reader_program, {file, group, {other}},
                                        reader::Kind::same_map, reader::Kind::truth, observer);
  return wire::Decoder(answer.payload).get<std::uint8_t>() != 0;
}

cool::PyramidFile copied_output(const std::string& path, const std::string& output) {
  h5::recover(output);
  copy_file(output, path);
  return cool::PyramidFile::open_existing(path);
}

}  // namespace ziggurat::engine
