#include "balance/blacklist.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/check.hpp"
#include "base/strings.hpp"

namespace ziggurat::balance {
namespace {

struct Fields {
  std::string_view chrom;
  std::string_view start;
  std::string_view end;
};

// BED numbers are plain digits; a sign is let through so that a region may stick out to the left.
std::optional<std::int64_t> parse_position(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view next_field(std::string_view& rest, std::string_view separators, bool merge) {
  if (merge) rest.remove_prefix(std::min(rest.find_first_not_of(separators), rest.size()));
  const std::size_t length = std::min(rest.find_first_of(separators), rest.size());
  const std::string_view field = rest.substr(0, length);
  rest.remove_prefix(std::min(length + 1, rest.size()));
  return field;
}

Fields split_line(std::string_view line) {
  const bool tabs = line.find('\t') != std::string_view::npos;
  const std::string_view separators = tabs ? "\t" : " ";
  Fields fields;
  fields.chrom = next_field(line, separators, !tabs);
  fields.start = trim(next_field(line, separators, !tabs));
  fields.end = trim(next_field(line, separators, !tabs));
  return fields;
}

bool starts_with_word(std::string_view line, std::string_view word) {
  return line.starts_with(word) &&
         (line.size() == word.size() || line[word.size()] == ' ' || line[word.size()] == '\t');
}

// A chromosome may be called "track" too: then a number follows.
bool is_annotation(std::string_view line) {
  if (trim(line).empty() || line.front() == '#') return true;
  if (!starts_with_word(line, "track") && !starts_with_word(line, "browser")) return false;
  return !parse_position(split_line(line).start);
}

class Masker {
 public:
  explicit Masker(const genome::BinTable& bins)
      : bins_(bins), masked_(static_cast<std::size_t>(bins.n_bins())) {
    for (std::int64_t c = 0; c < bins.n_chroms(); ++c) {
      index_.emplace(bins.chromosomes()[static_cast<std::size_t>(c)].name, c);
    }
  }

  [[nodiscard]] std::optional<std::int64_t> chromosome(std::string_view name) const {
    const auto found = index_.find(std::string(name));
    if (found == index_.end()) return std::nullopt;
    return found->second;
  }

  void mask(std::int64_t chrom, std::int64_t start, std::int64_t end) {
    const std::int64_t last = bins_.chrom_offset(chrom + 1);
    for (std::int64_t b = first_ending_after(chrom, start); b < last && bins_.start(b) < end; ++b) {
      masked_[static_cast<std::size_t>(b)] = true;
    }
  }

  [[nodiscard]] std::vector<bool> take() { return std::move(masked_); }

 private:
  [[nodiscard]] std::int64_t first_ending_after(std::int64_t chrom, std::int64_t position) const {
    std::int64_t low = bins_.chrom_offset(chrom);
    std::int64_t high = bins_.chrom_offset(chrom + 1);
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (bins_.end(middle) > position) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  const genome::BinTable& bins_;
  std::unordered_map<std::string, std::int64_t> index_;
  std::vector<bool> masked_;
};

void mask_region(const Fields& fields, std::string_view source, std::size_t line, Masker& masker) {
  const auto refuse = [&](const std::string& why) {
    fail(ErrorCode::usage, "blacklist {}, line {}: {}", source, line, why);
  };
  if (fields.end.empty()) refuse("fewer than three fields (chromosome, start, end)");
  const auto start = parse_position(fields.start);
  const auto end = parse_position(fields.end);
  if (!start) refuse(fmt::format("start '{}' is not a number", fields.start));
  if (!end) refuse(fmt::format("end '{}' is not a number", fields.end));
  if (*end < *start) refuse(fmt::format("end {} lies before start {}", *end, *start));
  const auto chrom = masker.chromosome(fields.chrom);
  if (!chrom) refuse(fmt::format("no chromosome '{}' in the map", fields.chrom));
  masker.mask(*chrom, *start, *end);
}

}  // namespace

std::vector<bool> blacklisted_bins(std::string_view bed, const genome::BinTable& bins,
                                   std::string_view source) {
  Masker masker(bins);
  bool may_be_header = true;
  std::size_t number = 0;
  for (std::string_view line : split(bed, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_annotation(line)) continue;
    const Fields fields = split_line(line);
    const bool numbers = parse_position(fields.start) && parse_position(fields.end);
    if (!may_be_header || numbers || fields.end.empty())
      mask_region(fields, source, number, masker);
    may_be_header = false;
  }
  return masker.take();
}

}  // namespace ziggurat::balance
