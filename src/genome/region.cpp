// Regions: the text grammar, and the search for the bins.
//
// A name may hold colons, digits and hyphens, so the text alone cannot say where the name ends;
// the table of known names can. The whole text is tried first, then what stands before the last
// colon, and so on: the longest known name wins, whatever it looks like.
#include "genome/region.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "base/arithmetic.hpp"
#include "base/check.hpp"
#include "base/strings.hpp"

namespace ziggurat::genome {
namespace {

std::optional<std::int64_t> index_of(std::string_view name,
                                     const std::vector<Chromosome>& chromosomes) {
  const auto found = std::find_if(chromosomes.begin(), chromosomes.end(),
                                  [&](const Chromosome& each) { return each.name == name; });
  if (found == chromosomes.end()) return std::nullopt;
  return std::distance(chromosomes.begin(), found);
}

std::optional<std::int64_t> bp_of_unit(std::string_view unit) {
  if (unit.empty() || unit == "b" || unit == "bp") return 1;
  if (unit == "k" || unit == "kb") return 1'000;
  if (unit == "m" || unit == "mb") return 1'000'000;
  if (unit == "g" || unit == "gb") return 1'000'000'000;
  return std::nullopt;
}

// A position such as 1,500,000 or 1.5M; a fraction needs a unit. Fractions of a bp are dropped.
std::optional<std::int64_t> parse_position(std::string_view text) {
  std::string plain = to_lower(trim(text));
  std::erase(plain, ',');
  const std::string_view whole = plain;
  const std::size_t number_end = std::min(whole.find_first_not_of("0123456789."), whole.size());
  const std::string_view number = whole.substr(0, number_end);
  const auto unit = bp_of_unit(trim(whole.substr(number_end)));
  if (!unit) return std::nullopt;
  if (const auto integer = parse_int64(number)) return checked_product(*integer, *unit);
  constexpr double kFarBeyondAnyGenome = 1e18;
  const auto fraction = *unit > 1 ? parse_decimal(number) : std::nullopt;
  if (!fraction || *fraction * static_cast<double>(*unit) > kFarBeyondAnyGenome) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*fraction * static_cast<double>(*unit));
}

Region parse_range(std::string_view range, std::int64_t chrom, const Chromosome& chromosome,
                   std::string_view text) {
  const std::size_t hyphen = range.find('-');
  const bool has_hyphen = hyphen != std::string_view::npos;
  const auto start = parse_position(range.substr(0, has_hyphen ? hyphen : 0));
  const std::string_view end_text = has_hyphen ? trim(range.substr(hyphen + 1)) : range;
  const auto end = has_hyphen && end_text.empty() ? chromosome.length : parse_position(end_text);
  if (!has_hyphen || !start || !end) {
    fail(ErrorCode::usage, "region '{}': '{}' is not START-END in bp", text, range);
  }
  if (*start > *end || *end > chromosome.length) {
    fail(ErrorCode::usage, "region '{}': [{}, {}) is not within {}, which is {} bp long", text,
         *start, *end, chromosome.name, chromosome.length);
  }
  return {chrom, *start, *end};
}

// The first bin of [first, end) that has_property does not hold for, or end. It holds for a prefix.
template <typename Property>
std::int64_t first_without(std::int64_t first, std::int64_t end, Property has_property) {
  while (first < end) {
    const std::int64_t middle = first + (end - first) / 2;
    if (has_property(middle)) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first;
}

}  // namespace

Region parse_region(std::string_view text, const std::vector<Chromosome>& chromosomes) {
  const std::string_view trimmed = trim(text);
  if (const auto chrom = index_of(trimmed, chromosomes)) {
    return {*chrom, 0, chromosomes[static_cast<std::size_t>(*chrom)].length};
  }
  for (std::size_t colon = trimmed.rfind(':'); colon != std::string_view::npos && colon > 0;
       colon = trimmed.rfind(':', colon - 1)) {
    if (const auto chrom = index_of(trim(trimmed.substr(0, colon)), chromosomes)) {
      return parse_range(trimmed.substr(colon + 1), *chrom,
                         chromosomes[static_cast<std::size_t>(*chrom)], text);
    }
  }
  fail(ErrorCode::usage, "region '{}': no chromosome of that name", text);
}

BinRange bins_touching(const BinTable& bins, const Region& region) {
  const std::int64_t chrom_first = bins.chrom_offset(region.chromosome);
  const std::int64_t chrom_end = bins.chrom_offset(region.chromosome + 1);
  const std::int64_t first = first_without(
      chrom_first, chrom_end, [&](std::int64_t bin) { return bins.end(bin) <= region.start; });
  return {first, first_without(first, chrom_end,
                               [&](std::int64_t bin) { return bins.start(bin) < region.end; })};
}

}  // namespace ziggurat::genome
