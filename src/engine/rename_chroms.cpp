// New names for chromosomes, in order: an interrupted change of the file is settled; every map that
// will change is described by a reader, which proves its tables, and its names are checked; and
// only then the file is opened for writing, once, for all of them.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/check.hpp"
#include "base/strings.hpp"
#include "cool/chrom_names.hpp"
#include "engine/paths.hpp"
#include "engine/reader_pool.hpp"
#include "engine/target_maps.hpp"
#include "engine/text_file.hpp"
#include "h5/handle.hpp"
#include "h5/journal.hpp"
#include "proc/reader_program.hpp"
#include "ziggurat/arrange.hpp"
#include "ziggurat/inspect.hpp"

namespace ziggurat {

namespace {

using Names = std::map<std::string, std::string>;

// Longer names are refused when maps are read.
constexpr std::size_t kLongestName = 4096;  // bytes

// Names stand in text with tabs and line ends between them.
void check_name(const std::string& name) {
  if (name.empty()) fail(ErrorCode::usage, "a chromosome cannot have an empty name");
  if (name.size() > kLongestName) {
    fail(ErrorCode::usage, "a name of {} bytes: {} are the most", name.size(), kLongestName);
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (std::any_of(name.begin(), name.end(), is_control)) {
    fail(ErrorCode::usage, "the name '{}' has a tab, a line end or another control character",
         name);
  }
}

void add_name(Names& names, std::string from, std::string to) {
  check_name(to);
  const auto [place, is_new] = names.emplace(std::move(from), to);
  if (!is_new && place->second != to) {
    fail(ErrorCode::usage, "chromosome '{}' is to be named '{}' and '{}'", place->first,
         place->second, to);
  }
}

// A tab between the two, or blanks where there is none.
void add_line(Names& names, std::string_view line, std::size_t number, const std::string& file) {
  std::size_t end = line.find('\t');
  if (end == std::string_view::npos) end = line.find(' ');
  const std::string_view from = trim(line.substr(0, end));
  const std::string_view to =
      end == std::string_view::npos ? std::string_view{} : trim(line.substr(end));
  if (from.empty() || to.empty() || to.find('\t') != std::string_view::npos) {
    fail(ErrorCode::usage, "{}, line {}: '{}' is not an old and a new name with a tab between",
         file, number, line);
  }
  add_name(names, std::string(from), std::string(to));
}

Names names_of(const RenameRequest& request) {
  Names names;
  for (const auto& [from, to] : request.names) add_name(names, from, to);
  if (request.names_file.empty()) return names;
  const std::string text = engine::read_text_file(request.names_file);
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (!trim(line).empty()) add_line(names, line, number, request.names_file);
  }
  return names;
}

void check_against(const Names& names, const cool::Description& map) {
  std::set<std::string> old_names;
  std::map<std::string, std::string> origin;  // of each new name
  for (const genome::Chromosome& chromosome : map.bins.chromosomes()) {
    old_names.insert(chromosome.name);
    const auto to = names.find(chromosome.name);
    const std::string& name = to == names.end() ? chromosome.name : to->second;
    const auto [other, is_new] = origin.emplace(name, chromosome.name);
    if (!is_new) {
      fail(ErrorCode::usage, "{}: '{}' and '{}' would both be named '{}'", map.label, other->second,
           chromosome.name, name);
    }
  }
  for (const auto& [from, to] : names) {
    if (old_names.contains(from)) continue;
    fail(ErrorCode::usage, "{} has no chromosome '{}', which is to be named '{}'", map.label, from,
         to);
  }
}

// A single-cell file has the tables of its cells once more at its root, which is no map.
bool has_tables_at_root(const std::string& file, const std::string& program, Observer& observer) {
  int found = 0;
  for (const FileObject& object : list_objects(file, 1, program, &observer)) {
    if (object.depth == 1 && (object.name == "chroms" || object.name == "bins")) ++found;
  }
  return found == 2;
}

cool::RenamedTables tables_of(const RenameRequest& request, const std::string& program,
                              Observer& observer) {
  cool::RenamedTables tables;
  tables.names = names_of(request);
  const genome::Uri target = genome::parse_uri(request.target);
  for (const genome::Uri& map : engine::target_maps(request.target, program, &observer)) {
    check_against(tables.names,
                  engine::describe_source(program, {map.file, map.group, {}}, observer));
    tables.groups.push_back(map.group);
  }
  const auto is_chosen = [&](const std::string& group) {
    return std::find(tables.groups.begin(), tables.groups.end(), group) != tables.groups.end();
  };
  for (std::string& group : list_maps(target.file, program, &observer)) {
    if (!is_chosen(group)) tables.others.push_back(std::move(group));
  }
  if (!is_chosen("/") && has_tables_at_root(target.file, program, observer)) {
    (target.group == "/" ? tables.groups : tables.others).emplace_back("/");
  }
  return tables;
}

}  // namespace

void rename_chroms(const RenameRequest& request, Observer& observer) {
  const h5::QuietErrors quiet;
  const std::string program = proc::reader_program(request.reader_program);
  const std::string file = genome::parse_uri(request.target).file;
  h5::recover(file, h5::posix_file_ops(), request.lock_timeout);
  const engine::FileIdentity identity = engine::identify(file);
  const cool::RenamedTables tables = tables_of(request, program, observer);
  if (tables.names.empty()) return observer.note("no names to change: " + request.target);
  cool::rename_chroms(std::filesystem::canonical(file).string(), tables, request.lock_timeout, [&] {
    if (engine::identify(file) == identity) return;
    fail(ErrorCode::input, "{} was changed meanwhile: nothing was done", file);
  });
  const std::size_t n = tables.names.size();
  observer.note(fmt::format("renamed {} chromosome{} in {}", n, n == 1 ? "" : "s", request.target));
}

}  // namespace ziggurat
