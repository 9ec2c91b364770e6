// Copying, moving and linking maps, and giving chromosomes other names.
//
// Files are changed all or nothing: a copy appears complete, and a file that is changed in place
// ends as it was or complete, at the latest after the next command that opens it.
// Thread rules: as build.hpp.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "ziggurat/build.hpp"
#include "ziggurat/export.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat {

struct CopyRequest {
  std::string source;      // URI of a map
  std::string output;      // URI
  bool overwrite = false;  // replace an existing output file as a whole; else its other contents
                           // stay, and a map that is in the place already is a mistake
  SourceRules rules;       // fields are not looked at: all are copied
  Settings settings;
};

// Copies a map with all its columns and attributes; its stored chunks come along as they are when
// they are of the usual kind. Throws Error: usage, input, format, io, worker, cancelled.
ZIGGURAT_API BuildReport copy_map(const CopyRequest& request, Observer& observer);

enum class Placing {
  move,
  hard_link,  // the same map under a second name
  soft_link,  // a name that stands for the first one
};

struct PlaceRequest {
  std::string source;  // URI of a map that is not at the root
  std::string target;  // URI in the same file
  Placing placing = Placing::move;
  bool overwrite = false;                          // a map at the target goes; else it is a mistake
  std::chrono::milliseconds lock_timeout{60'000};  // for a file that somebody else has locked
  std::string reader_program;                      // see Settings
};

// Throws Error: usage, input, io, busy.
ZIGGURAT_API void place_map(const PlaceRequest& request);

struct RenameRequest {
  std::string target;  // URI of a map, or a file: all of its maps
  std::vector<std::pair<std::string, std::string>> names;  // from old to new, all at once
  std::string names_file;  // more of them: old and new name on each line, a tab or blanks between
  std::chrono::milliseconds lock_timeout{60'000};  // for a file that somebody else has locked
  std::string reader_program;                      // see Settings
};

// Gives chromosomes other names; their order and all else stay. A map that has no chromosome of an
// old name, or would have one name twice, is a mistake.
// Throws Error: usage, input, format, io, busy.
ZIGGURAT_API void rename_chroms(const RenameRequest& request, Observer& observer);

}  // namespace ziggurat
