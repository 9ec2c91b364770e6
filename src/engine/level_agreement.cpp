#include "engine/level_agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/check.hpp"
#include "h5/value.hpp"

namespace ziggurat::engine {

namespace {

// Sums of real numbers differ in their last digits, those of float32 columns more so.
constexpr double kRealTolerance = 1e-6;

// As text; empty where the level does not say.
std::string declared_sum(const cool::Description& level) {
  for (const h5::NamedValue& attribute : level.attributes) {
    if (attribute.name == "sum") return h5::number_text(attribute.value);
  }
  return "";
}

bool is_whole(const std::string& number) {
  return number.find_first_not_of("-0123456789") == std::string::npos;
}

bool agree(const std::string& a, const std::string& b) {
  if (is_whole(a) && is_whole(b)) return a == b;
  const double first = std::strtod(a.c_str(), nullptr);
  const double second = std::strtod(b.c_str(), nullptr);
  if (!std::isfinite(first) || !std::isfinite(second)) return true;
  return std::abs(first - second) <=
         kRealTolerance * std::max({std::abs(first), std::abs(second), 1.0});
}

void require_same_content(const cool::Description& fine, const cool::Description& coarse) {
  const char* const advice = "the levels are not of one map; `ziggurat verify` tells more";
  if (coarse.n_pixels > fine.n_pixels) {
    fail(ErrorCode::format, "{} has {} pixels and the finer {} has {}: {}", coarse.label,
         coarse.n_pixels, fine.label, fine.n_pixels, advice);
  }
  const std::string fine_sum = declared_sum(fine);
  const std::string coarse_sum = declared_sum(coarse);
  if (fine_sum.empty() || coarse_sum.empty() || agree(fine_sum, coarse_sum)) return;
  fail(ErrorCode::format, "{} has the sum {} and {} has {}: {}", fine.label, fine_sum, coarse.label,
       coarse_sum, advice);
}

}  // namespace

void require_levels_of_one_map(const std::vector<Source>& levels,
                               const std::vector<std::int64_t>& resolutions) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const cool::Description& level = levels[i].description;
    const std::int64_t width = level.bins.bin_size().value_or(resolutions[i]);
    if (width != resolutions[i]) {
      fail(ErrorCode::format, "{} has bins of {} bp", level.label, width);
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (resolutions[i] % resolutions[j] != 0) continue;
      require_same_content(levels[j].description, level);
    }
  }
}

}  // namespace ziggurat::engine
