// Resolution lists and the ladder of levels.
//
// Expanding: each part of the list is a number or names a ladder, that is a start and a
// progression of multipliers. Ladders stop at the range's maximum; plain numbers do not, since they
// were asked for by name.
//
// Planning: every level should be made from the coarsest level that can give it, because the number
// of pixels falls with coarseness. For integer sums any choice gives the same result; for float
// sums, means and the like it does not, so the rule is fixed: among all levels of the plan, bases
// or not, the largest smaller one that divides. Dividing is transitive, so a level has a
// predecessor exactly when some base divides it. Quadratic in the number of levels, which is tens.
#include "genome/resolutions.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>

#include "base/arithmetic.hpp"
#include "base/check.hpp"
#include "base/strings.hpp"

namespace ziggurat::genome {
namespace {

// Side in pixels of the tiles that map browsers draw: a level no wider than one is the last.
constexpr std::int64_t kTileSide = 256;

// start times 1, 2, 4, 8, ...
void append_binary(std::vector<std::int64_t>& out, std::int64_t start, std::int64_t maximum) {
  for (std::int64_t value = start; value <= maximum; value *= 2) {
    out.push_back(value);
    if (value > maximum / 2) return;
  }
}

// start times 1, 2, 5, 10, 20, 50, ...
void append_nice(std::vector<std::int64_t>& out, std::int64_t start, std::int64_t maximum) {
  constexpr std::array<std::int64_t, 3> kSteps = {1, 2, 5};
  for (std::int64_t decade = start; decade <= maximum; decade *= 10) {
    for (const std::int64_t step : kSteps) {
      if (decade > maximum / step) return;
      out.push_back(decade * step);
    }
    if (decade > maximum / 10) return;
  }
}

std::int64_t positive_number(std::string_view text, std::string_view part) {
  const auto value = parse_int64(trim(text));
  if (!value) {
    fail(ErrorCode::usage,
         "invalid resolution '{}': expected a positive integer, N, B, 4DN, or an integer followed "
         "by N or B",
         part);
  }
  if (*value < 1) fail(ErrorCode::usage, "invalid resolution '{}': it must be positive", part);
  return *value;
}

// lower is one part of the list in lower case, part the same as it was written.
void append_part(std::vector<std::int64_t>& out, std::string_view lower, std::string_view part,
                 const LadderRange& range) {
  if (lower.empty()) fail(ErrorCode::usage, "invalid resolution '': the list has an empty part");
  if (lower == "4dn") {
    out.insert(out.end(), {1000, 2000});
    return append_nice(out, 5000, range.maximum);
  }
  const char kind = lower.back();
  if (kind != 'n' && kind != 'b') return out.push_back(positive_number(lower, part));
  const std::string_view number = lower.substr(0, lower.size() - 1);
  const std::int64_t start = number.empty() ? range.current : positive_number(number, part);
  return kind == 'n' ? append_nice(out, start, range.maximum)
                     : append_binary(out, start, range.maximum);
}

// In the order of first appearance; lists are short.
std::vector<std::int64_t> without_repeats(const std::vector<std::int64_t>& values) {
  std::vector<std::int64_t> unique;
  for (const std::int64_t value : values) {
    if (std::find(unique.begin(), unique.end(), value) == unique.end()) unique.push_back(value);
  }
  return unique;
}

std::optional<int> index_of(std::span<const std::int64_t> values, std::int64_t value) {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found == values.end()) return std::nullopt;
  return narrow<int>(std::distance(values.begin(), found));
}

std::vector<std::int64_t> all_levels(std::span<const std::int64_t> requested,
                                     std::span<const std::int64_t> bases) {
  std::vector<std::int64_t> levels(bases.begin(), bases.end());
  std::sort(levels.begin(), levels.end());
  const auto twin = std::adjacent_find(levels.begin(), levels.end());
  if (twin != levels.end()) fail(ErrorCode::usage, "two bases have the resolution {}", *twin);
  levels.insert(levels.end(), requested.begin(), requested.end());
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  if (!levels.empty() && levels.front() < 1) {
    fail(ErrorCode::usage, "invalid resolution {}: it must be positive", levels.front());
  }
  return levels;
}

// plan holds all finer levels, ascending.
LevelPlan derived_level(std::int64_t resolution, const std::vector<LevelPlan>& plan,
                        std::span<const std::int64_t> bases) {
  const auto from = std::find_if(plan.rbegin(), plan.rend(), [&](const LevelPlan& finer) {
    return resolution % finer.resolution == 0;
  });
  if (from == plan.rend()) {
    fail(ErrorCode::usage,
         "resolution {} cannot be derived from the base resolutions {}: it is not a multiple of {}",
         resolution, fmt::join(bases, ", "), bases.size() == 1 ? "it" : "any of them");
  }
  const int predecessor = narrow<int>(std::distance(from, plan.rend())) - 1;
  return {resolution, predecessor, resolution / from->resolution, from->base};
}

}  // namespace

LadderRange ladder_range(const BinTable& bins) {
  const std::int64_t length = bins.total_length();
  if (bins.bin_size()) return {*bins.bin_size(), ceil_div(length, kTileSide)};
  if (bins.n_bins() == 0) return {1, 0};
  std::int64_t covered = 0;
  for (std::int64_t bin = 0; bin < bins.n_bins(); ++bin) covered += bins.end(bin) - bins.start(bin);
  // In floating point and in this order, as the reference tool does it: the list is to be the same.
  const double mean_width = static_cast<double>(covered) / static_cast<double>(bins.n_bins());
  const double multiplier = static_cast<double>(length) / mean_width / double{kTileSide};
  return {1, static_cast<std::int64_t>(std::ceil(multiplier))};
}

std::vector<std::int64_t> expand_resolutions(std::string_view text, const LadderRange& range) {
  std::vector<std::int64_t> resolutions;
  for (const std::string_view part : split(text, ',')) {
    append_part(resolutions, to_lower(trim(part)), trim(part), range);
  }
  return without_repeats(resolutions);
}

std::vector<LevelPlan> plan_levels(std::span<const std::int64_t> requested,
                                   std::span<const std::int64_t> base_resolutions) {
  std::vector<LevelPlan> plan;
  for (const std::int64_t resolution : all_levels(requested, base_resolutions)) {
    if (const auto base = index_of(base_resolutions, resolution)) {
      plan.push_back({resolution, -1, 1, *base});
    } else {
      plan.push_back(derived_level(resolution, plan, base_resolutions));
    }
  }
  return plan;
}

int legacy_zoom_levels(std::int64_t total_length, std::int64_t bin_size) {
  // ceil(ceil(a / b) / c) == ceil(a / (b * c)), and the product might not fit.
  const std::int64_t tiles = ceil_div(ceil_div(total_length, bin_size), kTileSide);
  if (tiles <= 1) return 0;
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(tiles - 1)));
}

}  // namespace ziggurat::genome
