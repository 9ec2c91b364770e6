// An output file that holds maps in groups: what may be put where, and its private beginnings.
// Thread rules: one thread at a time, the one that writes.
#pragma once

#include <string>

#include "cool/pyramid_file.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat::engine {

// A map is put beside others: it may take the place of one, but not lie inside one or around any.
// `append`: what `file` holds already is kept. Throws Error{usage}.
void check_group(const std::string& file, const std::string& group, bool append,
                 const std::string& reader_program);

// Whether two names lead to one map of a file, which links within it give any number of names.
[[nodiscard]] bool lead_to_one_map(const std::string& file, const std::string& group,
                                   const std::string& other, const std::string& reader_program,
                                   Observer& observer);

// A copy of `output` at `path`, to be extended there.
[[nodiscard]] cool::PyramidFile copied_output(const std::string& path, const std::string& output);

}  // namespace ziggurat::engine
