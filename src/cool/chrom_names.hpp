// New names for the chromosomes of maps in a file that is changed in place.
// Thread rules: one thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "h5/locked_file.hpp"

namespace ziggurat::cool {

struct RenamedTables {
  std::vector<std::string> groups;           // with tables of chromosomes and bins, each once
  std::vector<std::string> others;           // further maps of the file
  std::map<std::string, std::string> names;  // from old to new; all others stay
};

// Writes chroms/name, and bins/chrom where it holds names too, of all groups anew; everything else
// stays as it is. Tables that the groups share stay shared. `check` is called once the file is
// locked, and may throw.
// Requires: the tables are sound, and no group has a name twice afterwards.
// Throws Error: usage when one of the others shares a table and would change too; io, busy.
void rename_chroms(const std::string& path, const RenamedTables& request,
                   const h5::LockPatience& patience, const std::function<void()>& check);

}  // namespace ziggurat::cool
