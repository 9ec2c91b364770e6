#include "base/aggregation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ziggurat {
namespace {

// In the order of the enumerators, so that one table serves both directions.
constexpr std::array<std::string_view, 16> kNames = {
    "sum",  "mean", "min", "max", "median", "first",   "last", "count",
    "size", "prod", "std", "var", "sem",    "nunique", "any",  "all"};

static_assert(kNames.size() == static_cast<std::size_t>(Aggregation::all) + 1);

}  // namespace

std::optional<Aggregation> parse_aggregation(std::string_view name) noexcept {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Aggregation>(found - kNames.begin());
}

std::string_view name(Aggregation aggregation) noexcept {
  return kNames[static_cast<std::size_t>(aggregation)];
}

}  // namespace ziggurat
