#include <algorithm>
#include <cctype>

#include "cool/description.hpp"

namespace ziggurat::cool {

namespace {

// Deep enough for every known layout; a bound because groups may contain themselves.
constexpr int kMaxDepth = 4;

bool is_collection(hid_t location, const std::string& path) {
  const std::string prefix = path == "/" ? "" : path;
  for (const char* part : {"/chroms", "/bins", "/pixels"}) {
    if (!h5::is_group(location, prefix + part)) return false;
  }
  return h5::is_dataset(location, prefix + "/pixels/bin1_id");
}

// A file root that also holds /resolutions is an .mcool by mistake marked as a single map, unless
// it has a pixel table of its own, which is_collection asks for.
void visit(hid_t file, const std::string& path, int depth, std::vector<std::string>& found) {
  if (is_collection(file, path)) {
    found.push_back(path);
    if (path != "/") return;
  }
  if (depth == kMaxDepth) return;
  const h5::Group group = h5::open_group(file, path, path);
  for (const std::string& name : h5::child_names(group.id(), path)) {
    const std::string child = path == "/" ? "/" + name : path + "/" + name;
    if (h5::is_group(file, child)) visit(file, child, depth + 1, found);
  }
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Runs of digits compare as numbers, all else byte by byte.
bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::size_t i_end = static_cast<std::size_t>(
          std::find_if_not(a.begin() + static_cast<std::ptrdiff_t>(i), a.end(), is_digit) -
          a.begin());
      const std::size_t j_end = static_cast<std::size_t>(
          std::find_if_not(b.begin() + static_cast<std::ptrdiff_t>(j), b.end(), is_digit) -
          b.begin());
      if (i_end - i != j_end - j) return i_end - i < j_end - j;
      const int order = a.compare(i, i_end - i, b, j, j_end - j);
      if (order != 0) return order < 0;
      i = i_end;
      j = j_end;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

}  // namespace

std::vector<std::string> list_collections(const h5::File& file) {
  std::vector<std::string> found;
  visit(file.id(), "/", 0, found);
  std::sort(found.begin(), found.end(), natural_less);
  return found;
}

}  // namespace ziggurat::cool
