#include <algorithm>
#include <map>
#include <set>

#include "base/check.hpp"
#include "base/strings.hpp"
#include "cool/description.hpp"
#include "cool/schema.hpp"
#include "genome/bin_columns.hpp"
#include "h5/types.hpp"

namespace ziggurat::cool {

namespace {

using h5::Column;

// Everything that is looked at while one collection is described.
struct Source {
  h5::Group group;
  std::string label;
};

[[noreturn]] void refuse_no_collection(const h5::File& file, const std::string& file_name,
                                       const std::string& group) {
  const std::vector<std::string> found = list_collections(file);
  const std::string where = group == "/" ? file_name : file_name + "::" + group;
  if (found.empty()) fail(ErrorCode::format, "no cooler found at {}: not a cooler file", where);
  std::string list;
  constexpr std::size_t kShown = 12;
  for (std::size_t i = 0; i < std::min(found.size(), kShown); ++i) {
    list += (i == 0 ? "" : ", ") + found[i];
  }
  if (found.size() > kShown) list += fmt::format(", ... ({} in all)", found.size());
  fail(ErrorCode::format,
       "no cooler found at {}: the file holds several resolutions or groups ({}); name one with "
       "{}::GROUP",
       where, list, file_name);
}

constexpr std::size_t kLongestName = 4096;  // bytes

std::vector<genome::Chromosome> read_chromosomes(const Source& source) {
  const std::vector<std::string> names =
      h5::read_strings(h5::open_column(source.group.id(), "chroms/name", source.label));
  const std::vector<std::int64_t> lengths =
      h5::read_integers(h5::open_column(source.group.id(), "chroms/length", source.label));
  if (names.size() != lengths.size()) {
    fail(ErrorCode::format, "{}: chroms/length has {} rows and chroms/name has {}", source.label,
         lengths.size(), names.size());
  }
  std::set<std::string> seen;
  std::vector<genome::Chromosome> chromosomes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].size() > kLongestName) {
      fail(ErrorCode::format, "{}: chroms/name row {} is {} bytes long", source.label, i,
           names[i].size());
    }
    if (names[i].empty())
      fail(ErrorCode::format, "{}: chroms/name row {} is empty", source.label, i);
    if (!seen.insert(names[i]).second) {
      fail(ErrorCode::format, "{}: chroms/name row {} repeats '{}'", source.label, i, names[i]);
    }
    if (lengths[i] <= 0) {
      fail(ErrorCode::format, "{}: chroms/length row {} ({}) is {}", source.label, i, names[i],
           lengths[i]);
    }
    chromosomes.push_back({names[i], lengths[i]});
  }
  return chromosomes;
}

// The members of an enumeration say again which row of chroms each code stands for.
void require_same_names(const Column& column, const std::vector<genome::Chromosome>& chromosomes) {
  for (const auto& [name, code] : h5::enumeration_members(column.type)) {
    const bool known = code >= 0 && code < static_cast<std::int64_t>(chromosomes.size());
    if (known && chromosomes[static_cast<std::size_t>(code)].name == name) continue;
    fail(ErrorCode::format, "{}: code {} stands for '{}', which is not that row of chroms/name",
         column.label, code, name);
  }
}

// bins/chrom as rows of chroms: stored as integers (plain, or an enumeration of the names) or, by
// some writers, as the names themselves.
std::vector<std::int64_t> read_chrom_ids(const Source& source,
                                         const std::vector<genome::Chromosome>& chromosomes) {
  const Column column = h5::open_column(source.group.id(), "bins/chrom", source.label);
  if (h5::is_enumeration(column.type)) require_same_names(column, chromosomes);
  if (column.number) return h5::read_integers(column);
  std::map<std::string, std::int64_t> rows;
  for (std::size_t i = 0; i < chromosomes.size(); ++i) {
    rows[chromosomes[i].name] = static_cast<std::int64_t>(i);
  }
  std::vector<std::int64_t> ids;
  for (const std::string& name : h5::read_strings(column)) {
    const auto row = rows.find(name);
    if (row == rows.end()) {
      fail(ErrorCode::format, "{} row {} names '{}', which chroms/name does not have", column.label,
           ids.size(), name);
    }
    ids.push_back(row->second);
  }
  return ids;
}

// A descriptive attribute: absent, or text.
std::optional<std::string> text_attribute(const Source& source, const char* name) {
  std::optional<std::string> text = h5::read_text(source.group.id(), name);
  if (!text && h5::has_attribute(source.group.id(), name)) {
    fail(ErrorCode::format, "{}: attribute {} is not text", source.label, name);
  }
  return text;
}

// The bin-size attribute as it was meant: a width, or none for variable bins or when it is absent.
struct SizeAttribute {
  bool says_variable = false;
  std::optional<std::int64_t> width;
};

SizeAttribute read_size_attribute(const Source& source) {
  const std::string type = text_attribute(source, "bin-type").value_or(kBinTypeFixed);
  if (type == kBinTypeVariable) return {.says_variable = true, .width = {}};
  if (type != kBinTypeFixed) {
    fail(ErrorCode::format, "{}: bin-type '{}' is not known (fixed or variable)", source.label,
         type);
  }
  const std::optional<std::string> text = h5::read_words(source.group.id(), "bin-size");
  if (!text) return {};
  if (*text == kNoBinSize) return {.says_variable = true, .width = {}};
  const std::optional<std::int64_t> width = parse_int64(*text);
  if (!width || *width < 1) {
    fail(ErrorCode::format, "{}: attribute bin-size '{}' is no width in base pairs", source.label,
         *text);
  }
  return {.says_variable = false, .width = width};
}

// Fixed or variable: a map that calls itself variable stays so; otherwise the bins decide, and the
// attribute only where no chromosome has two bins to tell from.
std::optional<std::int64_t> decide_bin_size(const std::vector<std::int64_t>& offsets,
                                            const std::vector<std::int64_t>& starts,
                                            const std::vector<std::int64_t>& ends,
                                            const SizeAttribute& attribute) {
  if (attribute.says_variable) return std::nullopt;
  bool has_inner_bins = false;
  for (std::size_t c = 0; c + 1 < offsets.size(); ++c) {
    has_inner_bins = has_inner_bins || offsets[c + 1] - offsets[c] > 1;
  }
  if (!has_inner_bins) return attribute.width;
  const std::optional<std::int64_t> inferred = genome::inferred_bin_size(offsets, starts, ends);
  if (attribute.width && !inferred) {
    fail(ErrorCode::format, "attribute bin-size says {}, but the bins differ in width",
         *attribute.width);
  }
  if (attribute.width && attribute.width != inferred) {
    fail(ErrorCode::format, "attribute bin-size says {}, but the bins are {} wide",
         *attribute.width, *inferred);
  }
  return inferred;
}

// Counts in attributes are often those of an earlier state of the file.
void compare_count(const Source& source, const char* name, std::int64_t rows,
                   std::vector<std::string>& notes) {
  const std::optional<std::int64_t> attribute = h5::read_int(source.group.id(), name);
  if (!attribute || *attribute == rows) return;
  notes.push_back(fmt::format("{}: attribute {} says {}, the table has {} rows; the table counts",
                              source.label, name, *attribute, rows));
}

// An index that cannot even be decoded is as good as a wrong one: what it says follows from the
// bins.
bool index_says(const Source& source, const char* path, const std::vector<std::int64_t>& offsets) {
  try {
    const Column column = h5::open_column(source.group.id(), path, source.label);
    return column.number && !is_float(*column.number) && column.storage.length == offsets.size() &&
           h5::read_integers(column) == offsets;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::input) throw;
    return false;
  }
}

void compare_chrom_index(const Source& source, const std::vector<std::int64_t>& offsets,
                         std::vector<std::string>& notes) {
  const char* const path = "indexes/chrom_offset";
  if (!h5::is_dataset(source.group.id(), path)) {
    notes.push_back(
        fmt::format("{}: {} is missing and was rebuilt from the bins", source.label, path));
    return;
  }
  if (!index_says(source, path, offsets)) {
    notes.push_back(fmt::format("{}: {} disagrees with the bins and was rebuilt from them",
                                source.label, path));
  }
}

genome::BinTable read_bins(const Source& source, std::vector<std::string>& notes) {
  std::vector<genome::Chromosome> chromosomes = read_chromosomes(source);
  const std::vector<std::int64_t> ids = read_chrom_ids(source, chromosomes);
  if (ids.empty()) fail(ErrorCode::format, "{}/bins: there are no bins", source.label);
  std::vector<std::int64_t> starts =
      h5::read_integers(h5::open_column(source.group.id(), "bins/start", source.label));
  std::vector<std::int64_t> ends =
      h5::read_integers(h5::open_column(source.group.id(), "bins/end", source.label));
  compare_count(source, "nchroms", std::ssize(chromosomes), notes);
  compare_count(source, "nbins", std::ssize(ids), notes);
  if (starts.size() != ids.size() || ends.size() != ids.size()) {
    fail(ErrorCode::format, "{}: bins/chrom has {} rows, bins/start {}, bins/end {}", source.label,
         ids.size(), starts.size(), ends.size());
  }
  const SizeAttribute width = read_size_attribute(source);
  try {
    std::vector<std::int64_t> offsets =
        genome::chrom_offsets_from_ids(ids, static_cast<std::int64_t>(chromosomes.size()));
    compare_chrom_index(source, offsets, notes);
    const std::optional<std::int64_t> size = decide_bin_size(offsets, starts, ends, width);
    return genome::BinTable::explicit_bins(std::move(chromosomes), std::move(offsets),
                                           std::move(starts), std::move(ends), size);
  } catch (const Error& error) {
    fail(error.code(), "{}/bins: {}", source.label, error.what());
  }
}

// Chunks can be carried over as they are when every reader can take them and we can check them.
bool describe_filters(const Column& column, PixelColumn& out) {
  const std::vector<h5::Filter>& filters = column.storage.filters;
  const bool shuffle = !filters.empty() && filters.front().id == h5::kShuffleFilter;
  const std::size_t deflate_at = shuffle ? 1 : 0;
  if (filters.size() != deflate_at + 1) return false;
  const h5::Filter& deflate = filters[deflate_at];
  if (deflate.id != h5::kDeflateFilter || deflate.parameters.empty()) return false;
  out.shuffle = shuffle;
  out.deflate_level = static_cast<int>(std::min(deflate.parameters.front(), 9U));
  return true;
}

// Larger chunks are re-encoded: readers of the output should not have to take them, nor should we.
constexpr std::uint64_t kMaxKeptChunkBytes = std::uint64_t{4} << 20;

PixelColumn describe_column(const Column& column, const std::string& name) {
  if (!column.number || h5::is_enumeration(column.type)) {
    fail(ErrorCode::format, "{} does not hold plain numbers", column.label);
  }
  PixelColumn out;
  out.name = name;
  out.type = *column.number;
  out.chunk_length = column.storage.chunk_length;
  out.copyable = describe_filters(column, out) && column.little_endian && out.chunk_length > 0 &&
                 column.storage.zero_fill &&
                 out.chunk_length * size(out.type) <= kMaxKeptChunkBytes;
  return out;
}

std::vector<std::string> value_columns(const Source& source) {
  const h5::Group pixels = h5::open_group(source.group.id(), "pixels", source.label + "/pixels");
  std::vector<std::string> names = h5::child_names(pixels.id(), source.label + "/pixels");
  std::erase_if(names, [](const std::string& n) { return n == "bin1_id" || n == "bin2_id"; });
  return names;
}

// How many pixels there are. Tables may be longer than the map (cooler makes them so when it is
// empty); then the row index and the attribute agree on less.
std::uint64_t decide_n_pixels(const Source& source, std::uint64_t table_rows, std::int64_t n_bins,
                              std::vector<std::string>& notes) {
  const std::optional<std::int64_t> attribute = h5::read_int(source.group.id(), "nnz");
  if (!attribute || *attribute == static_cast<std::int64_t>(table_rows)) return table_rows;
  if (*attribute >= 0 && *attribute < static_cast<std::int64_t>(table_rows) &&
      h5::is_dataset(source.group.id(), "indexes/bin1_offset")) {
    const Column index = h5::open_column(source.group.id(), "indexes/bin1_offset", source.label);
    if (index.storage.length == static_cast<std::uint64_t>(n_bins) + 1 && index.number) {
      std::int64_t last = -1;
      h5::read_numbers(index, static_cast<std::uint64_t>(n_bins), 1, &last);
      if (last == *attribute) return static_cast<std::uint64_t>(last);
    }
  }
  notes.push_back(
      fmt::format("{}: attribute nnz says {}, the pixel table has {} rows; the table counts",
                  source.label, *attribute, table_rows));
  return table_rows;
}

void describe_pixels(const Source& source, const std::vector<std::string>& fields,
                     Description& out) {
  const Column bin1 = h5::open_column(source.group.id(), "pixels/bin1_id", source.label);
  const Column bin2 = h5::open_column(source.group.id(), "pixels/bin2_id", source.label);
  out.bin1 = describe_column(bin1, "bin1_id");
  out.bin2 = describe_column(bin2, "bin2_id");
  for (const Column* ids : {&bin1, &bin2}) {
    if (is_float(*ids->number)) fail(ErrorCode::format, "{} does not hold integers", ids->label);
  }
  if (bin1.storage.length != bin2.storage.length) {
    fail(ErrorCode::format, "{}: pixels/bin1_id has {} rows and pixels/bin2_id has {}",
         source.label, bin1.storage.length, bin2.storage.length);
  }
  for (const std::string& name : fields.empty() ? value_columns(source) : fields) {
    if (!h5::is_dataset(source.group.id(), "pixels/" + name)) {
      fail(name == "count" ? ErrorCode::format : ErrorCode::usage,
           "{}: pixel value column '{}' is missing", source.label, name);
    }
    const Column column = h5::open_column(source.group.id(), "pixels/" + name, source.label);
    if (column.storage.length != bin1.storage.length) {
      fail(ErrorCode::format, "{}: pixels/bin1_id has {} rows and pixels/{} has {}", source.label,
           bin1.storage.length, name, column.storage.length);
    }
    out.fields.push_back(describe_column(column, name));
  }
  const std::int64_t n_bins = out.bins.n_bins();
  out.n_pixels = decide_n_pixels(source, bin1.storage.length, n_bins, out.notes);
  h5::check_plausible(bin1, out.n_pixels);
  h5::check_plausible(bin2, out.n_pixels);
}

std::vector<SideColumn> read_side_columns(const Source& source, const std::string& table,
                                          std::uint64_t n_rows,
                                          const std::vector<std::string>& known,
                                          std::vector<std::string>& notes) {
  const h5::Group group = h5::open_group(source.group.id(), table, source.label + "/" + table);
  std::vector<SideColumn> columns;
  for (const std::string& name : h5::child_names(group.id(), source.label + "/" + table)) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string path = table + "/" + name;
    if (!h5::is_dataset(source.group.id(), path)) continue;
    if (h5::dimensions(source.group.id(), path) != 1) {
      notes.push_back(
          fmt::format("{}/{} is not one-dimensional and was left out", source.label, path));
      continue;
    }
    const Column column = h5::open_column(source.group.id(), path, source.label);
    if (column.storage.length != n_rows) {
      fail(ErrorCode::format, "{} has {} rows, the table has {}", column.label,
           column.storage.length, n_rows);
    }
    h5::check_plausible(column, column.storage.length);
    std::optional<h5::Value> value = h5::read_dataset(column.dataset.id(), column.label);
    if (!value) {
      notes.push_back(
          fmt::format("{} is of a type that cannot be carried and was left out", column.label));
      continue;
    }
    columns.push_back(
        {name, std::move(*value), h5::read_attributes(column.dataset.id(), column.label)});
  }
  return columns;
}

StorageMode read_mode(const Source& source) {
  const std::optional<std::string> mode = text_attribute(source, "storage-mode");
  if (!mode || *mode == kSymmetricUpper) return StorageMode::symmetric_upper;
  if (*mode == kSquare) return StorageMode::square;
  fail(ErrorCode::format, "{}: storage-mode '{}' is not known (symmetric-upper or square)",
       source.label, *mode);
}

// Old writers put no format there, and their version as text.
void require_known_format(const Source& source) {
  const std::string format = text_attribute(source, "format").value_or(kCoolFormat);
  if (format != kCoolFormat) {
    fail(ErrorCode::format, "{}: attribute format says '{}' where a map says '{}'", source.label,
         format, kCoolFormat);
  }
  const auto words = h5::read_words(source.group.id(), "format-version");
  const std::int64_t version = words ? parse_int64(*words).value_or(kCoolVersion) : kCoolVersion;
  if (version == kUnfinishedVersion) {
    fail(
        ErrorCode::format,
        "{}: marked as unfinished (format-version 255): the program that wrote it did not close it",
        source.label);
  }
  if (version > kCoolVersion) {
    fail(ErrorCode::format, "{}: format-version {} is newer than this program knows ({})",
         source.label, version, kCoolVersion);
  }
}

void read_descriptions(const Source& source, Description& out) {
  const hid_t group = source.group.id();
  out.attributes = h5::read_attributes(group, source.label);
  require_known_format(source);
  // hictk names it "assembly".
  out.assembly = h5::read_text(group, "genome-assembly")
                     .value_or(h5::read_text(group, "assembly").value_or(kUnknownAssembly));
  out.metadata = h5::read_text(group, "metadata").value_or(kNoMetadata);
}

}  // namespace

namespace {

// Opens the group of a collection; Error{format} saying what the file holds instead when it is
// none.
Source open_collection(const h5::File& file, const std::string& file_name,
                       const std::string& group) {
  Source source;
  source.label = group == "/" ? file_name : file_name + "::" + group;
  if (!h5::has_object(file.id(), group)) {
    const std::vector<std::string> found = list_collections(file);
    if (found.empty()) refuse_no_collection(file, file_name, group);
    fail(ErrorCode::format, "{} has no group {}; coolers are at: {}", file_name, group,
         fmt::join(found, ", "));
  }
  if (!h5::is_group(file.id(), group)) fail(ErrorCode::format, "{} is not a group", source.label);
  source.group = h5::open_group(file.id(), group, source.label);
  std::vector<std::string> missing;
  for (const char* part : {"chroms", "bins", "pixels"}) {
    if (!h5::is_group(source.group.id(), part)) missing.emplace_back(part);
  }
  if (missing.size() == 3 || (!missing.empty() && !list_collections(file).empty())) {
    refuse_no_collection(file, file_name, group);
  }
  if (!missing.empty())
    fail(ErrorCode::format, "{}: group {} is missing", source.label, missing[0]);
  return source;
}

}  // namespace

std::vector<h5::NamedValue> collection_attributes(const h5::File& file,
                                                  const std::string& file_name,
                                                  const std::string& group) {
  if (group == "/" && h5::is_group(file.id(), "resolutions")) {
    return h5::read_attributes(h5::open_group(file.id(), "/", file_name).id(), file_name);
  }
  const Source source = open_collection(file, file_name, group);
  return h5::read_attributes(source.group.id(), source.label);
}

Description describe(const h5::File& file, const std::string& file_name, const std::string& group,
                     const std::vector<std::string>& fields, SideColumns side_columns) {
  const Source source = open_collection(file, file_name, group);
  Description out;
  out.label = source.label;
  read_descriptions(source, out);
  out.mode = read_mode(source);
  out.bins = read_bins(source, out.notes);
  describe_pixels(source, fields, out);
  if (side_columns == SideColumns::left_out) return out;
  out.chrom_columns =
      read_side_columns(source, "chroms", static_cast<std::uint64_t>(out.bins.n_chroms()),
                        {"name", "length"}, out.notes);
  out.bin_columns = read_side_columns(source, "bins", static_cast<std::uint64_t>(out.bins.n_bins()),
                                      {"chrom", "start", "end"}, out.notes);
  return out;
}

}  // namespace ziggurat::cool
