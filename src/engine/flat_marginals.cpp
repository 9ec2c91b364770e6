// Problem: tell weights that balance a map from weights that do not belong to it, in one pass.
// Method: a column says that it converged when the variance of the marginals fell below a
// tolerance. Marginals were then divided by their mean, the scale, which brought them to 1; so the
// variance now, times the scale squared, is what was compared. The last round made them more even
// still, and so this may be at most the tolerance; twice that is let pass, for other orders of
// addition. The main diagonal, where it is not ignored, counts twice in a bin's sum, or once for
// cooler from 0.11 on; a column does not say which, so either will do.
// Cost: two additions a pixel and column. Memory: 24 bytes a bin and column.
#include "engine/flat_marginals.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>

#include "base/check.hpp"
#include "h5/value.hpp"

namespace ziggurat::engine {

namespace {

constexpr double kSlack = 2;

const h5::Value* find(const cool::SideColumn& side, const char* name) {
  for (const h5::NamedValue& attribute : side.attributes) {
    if (attribute.name == name) return &attribute.value;
  }
  return nullptr;
}

std::optional<double> number(const h5::Value* value) {
  if (value == nullptr) return std::nullopt;
  const std::string text = h5::number_text(*value);
  if (text == "true") return 1;
  if (text == "false") return 0;
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

// Of an array of doubles; nothing when there are not n.
std::vector<double> doubles(const h5::Value& value, std::size_t n) {
  std::vector<double> out;
  if (value.bytes.size() != n * sizeof(double)) return out;
  out.resize(n);
  if (n > 0) std::memcpy(out.data(), value.bytes.data(), value.bytes.size());
  return out;
}

}  // namespace

FlatMarginals::FlatMarginals(const cool::Description& map) : map_(map) {
  if (map.mode != cool::StorageMode::symmetric_upper) return;
  for (const cool::SideColumn& side : map.bin_columns) take(side);
  if (columns_.empty()) return;
  for (std::int64_t c = 0; c < map.bins.n_chroms(); ++c) {
    chromosome_of_.resize(static_cast<std::size_t>(map.bins.chrom_offset(c + 1)),
                          static_cast<std::int32_t>(c));
  }
}

void FlatMarginals::take(const cool::SideColumn& side) {
  const auto n_chroms = static_cast<std::size_t>(map_.bins.n_chroms());
  const h5::Value* const converged = find(side, "converged");
  const h5::Value* const scale = find(side, "scale");
  const std::optional<double> tol = number(find(side, "tol"));
  if (converged == nullptr || scale == nullptr || !tol) return;
  Column column;
  column.name = side.name;
  column.tol = *tol;
  column.cis_only = number(find(side, "cis_only")).value_or(0) != 0;
  column.ignored_diags = static_cast<std::int64_t>(number(find(side, "ignore_diags")).value_or(0));
  column.weights = doubles(side.value, static_cast<std::size_t>(map_.bins.n_bins()));
  if (column.weights.empty() || number(find(side, "trans_only")).value_or(0) != 0) return;
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  if (column.cis_only) {
    column.scale = doubles(*scale, n_chroms);
    if (column.scale.empty() || converged->bytes.size() != n_chroms) return;
    for (std::size_t c = 0; c < n_chroms; ++c) {
      if (converged->bytes[c] == std::byte{0}) column.scale[c] = kNothing;
    }
  } else {
    if (number(converged).value_or(0) == 0) return;
    column.scale = {number(scale).value_or(kNothing)};
  }
  for (double& weight : column.weights) weight = std::isfinite(weight) ? weight : 0;
  column.sums.resize(column.weights.size());
  column.diagonal.resize(column.weights.size());
  columns_.push_back(std::move(column));
}

void FlatMarginals::add_pixel(Column& column, std::uint32_t row, std::uint32_t bin2,
                              double count) const {
  if (row >= column.sums.size() || bin2 >= column.sums.size()) {
    fail(ErrorCode::worker, "a reader sent pixel ({}, {}) of {} bins", row, bin2,
         column.sums.size());
  }
  if (std::int64_t{bin2} - row < column.ignored_diags) return;
  if (column.cis_only && chromosome_of_[row] != chromosome_of_[bin2]) return;
  const double balanced = column.weights[row] * column.weights[bin2] * count;
  column.sums[row] += balanced;
  column.sums[bin2] += balanced;
  if (row == bin2) column.diagonal[row] += balanced;
}

void FlatMarginals::add(const reader::Block& block, const reader::BlockView& view) {
  if (columns_.empty() || block.forms.empty()) return;
  const auto add_as = [&]<typename Number>(Number) {
    const auto* counts = reinterpret_cast<const Number*>(view.values.front().data());
    for (Column& column : columns_) {
      std::size_t at = 0;
      for (const RowRun run : view.runs) {
        for (const std::size_t end = at + run.n; at < end; ++at) {
          add_pixel(column, run.row, view.columns[at], static_cast<double>(counts[at]));
        }
      }
    }
  };
  switch (block.forms.front()) {
    case reader::ValueForm::i32:
      return add_as(std::int32_t{});
    case reader::ValueForm::i64:
      return add_as(std::int64_t{});
    case reader::ValueForm::f32:
      return add_as(float{});
    case reader::ValueForm::f64:
      return add_as(double{});
  }
}

// Of the marginals that are not 0, among bins [first, end), around their mean.
double FlatMarginals::variance(const std::vector<double>& sums, std::int64_t first,
                               std::int64_t end) {
  double n = 0;
  double sum = 0;
  for (std::int64_t b = first; b < end; ++b) {
    const double value = sums[static_cast<std::size_t>(b)];
    n += value != 0 ? 1 : 0;
    sum += value;
  }
  if (n == 0) return 0;
  double squares = 0;
  for (std::int64_t b = first; b < end; ++b) {
    const double value = sums[static_cast<std::size_t>(b)];
    if (value != 0) squares += (value - sum / n) * (value - sum / n);
  }
  return squares / n;
}

double FlatMarginals::least_variance(const Column& column, std::int64_t first, std::int64_t end) {
  const double twice = variance(column.sums, first, end);
  if (column.ignored_diags > 0) return twice;
  std::vector<double> once(column.sums.size());
  std::transform(column.sums.begin(), column.sums.end(), column.diagonal.begin(), once.begin(),
                 std::minus<>());
  return std::min(twice, variance(once, first, end));
}

std::vector<std::string> FlatMarginals::faults() const {
  std::vector<std::string> faults;
  for (const Column& column : columns_) {
    for (std::size_t s = 0; s < column.scale.size(); ++s) {
      const auto c = static_cast<std::int64_t>(s);
      const std::int64_t first = column.cis_only ? map_.bins.chrom_offset(c) : 0;
      const std::int64_t end = column.cis_only ? map_.bins.chrom_offset(c + 1) : map_.bins.n_bins();
      const double found = least_variance(column, first, end) * column.scale[s] * column.scale[s];
      if (!(found > kSlack * column.tol)) continue;
      faults.push_back(
          fmt::format("{}: bins/{} says it converged to {:g}, but the variance of the balanced "
                      "rows{} is {:.3g}",
                      map_.label, column.name, column.tol,
                      column.cis_only ? " of " + map_.bins.chromosomes()[s].name : "", found));
      break;
    }
  }
  return faults;
}

}  // namespace ziggurat::engine
