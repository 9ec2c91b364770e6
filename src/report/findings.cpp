#include "report/findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/shown.hpp"
#include "report/words.hpp"

namespace ziggurat::report {

namespace {

constexpr double kEqualSums = 1e-9;  // relative: sums of floating point counts
constexpr double kManyMasked = 0.25;
constexpr double kUneven = 0.05;
constexpr double kFewCis = 0.4;
constexpr double kLevelsDiffer = 0.25;
constexpr double kFlattest = -0.3;

bool differ(double a, double b) {
  return std::abs(a - b) > kEqualSums * std::max(std::abs(a), std::abs(b));
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 6;
  if (names.size() <= kMost) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kMost, ", "),
                     names.size() - kMost);
}

// Names of the levels of which something holds.
template <typename Holds>
std::vector<std::string> levels_where(const MapReport& report, Holds holds) {
  std::vector<std::string> names;
  for (const LevelNumbers& level : report.levels) {
    if (holds(level)) names.push_back(resolution_text(level.bin_size));
  }
  return names;
}

// The findings on balancing ask of a level whether it has weights first.
template <typename Holds>
std::vector<std::string> balanced_where(const MapReport& report, Holds holds) {
  return levels_where(report, [&](const LevelNumbers& level) {
    const WeightNumbers* weights = weights_shown(report, level);
    return weights != nullptr && holds(level, *weights);
  });
}

class Findings {
 public:
  explicit Findings(const MapReport& report) : report_(report) {}

  std::vector<Finding> all() {
    sums();
    stated();
    distance();
    cis();
    weights();
    coverage();
    std::stable_sort(found_.begin(), found_.end(), [](const Finding& a, const Finding& b) {
      return rank(a.kind) < rank(b.kind);
    });
    return std::move(found_);
  }

 private:
  static int rank(FindingKind kind) {
    return kind == FindingKind::look ? 0 : kind == FindingKind::good ? 1 : 2;
  }

  void add(FindingKind kind, std::string title, std::string text) {
    found_.push_back({kind, std::move(title), std::move(text)});
  }

  void sums() {
    const double first = report_.levels.front().contacts;
    if (first == 0) {
      add(FindingKind::look, "The map is empty", "It holds no contacts.");
      return;
    }
    if (report_.levels.size() < 2) return;
    const auto other =
        levels_where(report_, [&](const LevelNumbers& l) { return differ(l.contacts, first); });
    if (other.empty()) {
      add(FindingKind::good, "The levels hold the same contacts",
          fmt::format("All {} add up to {}.", report_.levels.size(), whole_text(first)));
    } else {
      add(FindingKind::look, "The levels do not hold the same contacts",
          fmt::format("{} add up to something else than {}, the sum of the finest. They were not "
                      "made from it, or not from all of it: `ziggurat verify` tells where they "
                      "part.",
                      listed(other), whole_text(first)));
    }
  }

  void stated() {
    const auto wrong = levels_where(report_, [](const LevelNumbers& level) {
      return (level.stated_sum && differ(*level.stated_sum, level.contacts)) ||
             (level.stated_pixels && *level.stated_pixels != level.n_pixels);
    });
    if (wrong.empty()) return;
    add(FindingKind::look, "The file says other numbers than it holds",
        fmt::format("The attributes sum and nnz do not fit the pixels of {}.", listed(wrong)));
  }

  void distance() {
    if (report_.decay_disagreement && *report_.decay_disagreement > kLevelsDiffer) {
      add(FindingKind::look, "The levels disagree on contacts by distance",
          fmt::format("Where they can be compared they differ by up to {}.",
                      percent_text(*report_.decay_disagreement)));
    } else if (report_.decay_disagreement) {
      add(FindingKind::good, "The levels agree on contacts by distance",
          fmt::format("Where they can be compared they differ by {} at most.",
                      percent_text(*report_.decay_disagreement)));
    }
    if (!report_.decay_slope) return;
    if (*report_.decay_slope > kFlattest) {
      add(FindingKind::look, "Contacts hardly thin out with distance",
          fmt::format("They go with distance to the power of {:.2f}; near -1 is usual. A map of "
                      "few contacts or of much noise looks like this.",
                      *report_.decay_slope));
    } else {
      add(FindingKind::good, "Contacts thin out with distance",
          fmt::format("They go with distance to the power of {:.2f}.", *report_.decay_slope));
    }
  }

  void cis() {
    const LevelNumbers& finest = report_.levels.front();
    if (report_.chromosomes.size() < 2 || finest.contacts == 0) return;
    const double share = finest.cis / finest.contacts;
    const std::string text = fmt::format("{} of {} contacts join two places of one chromosome.",
                                         percent_text(share), large_text(finest.contacts));
    if (share < kFewCis) {
      add(FindingKind::look, "Few contacts are within chromosomes",
          text + " Random ligation makes contacts between chromosomes.");
    } else {
      add(FindingKind::good, "Most contacts are within chromosomes", text);
    }
  }

  void weights() {
    if (report_.weights.empty()) {
      add(FindingKind::fact, "The map is not balanced",
          "It has no column of weights: `ziggurat balance` adds one. The pictures show contacts as "
          "counted.");
      return;
    }
    const auto without = levels_where(report_, [&](const LevelNumbers& level) {
      return weights_shown(report_, level) == nullptr;
    });
    if (!without.empty()) {
      add(FindingKind::fact, "Some levels are not balanced",
          fmt::format("There is no column {} at {}.", report_.weights, listed(without)));
    }
    const auto unfinished = balanced_where(
        report_, [](const auto&, const WeightNumbers& w) { return w.converged && !*w.converged; });
    const auto converged = balanced_where(
        report_, [](const auto&, const WeightNumbers& w) { return w.converged && *w.converged; });
    if (!unfinished.empty()) {
      add(FindingKind::look, "Balancing did not converge",
          fmt::format("At {} it was stopped before it was done: the weights are those of the last "
                      "round. More rounds (--max-iters) or stricter filters help.",
                      listed(unfinished)));
    } else if (converged.size() == report_.levels.size()) {
      add(FindingKind::good, "Balancing converged", "At every level, as the file says.");
    }
    const auto uneven = balanced_where(report_, [](const auto&, const WeightNumbers& w) {
      return w.spread && *w.spread > kUneven;
    });
    if (!uneven.empty()) {
      add(FindingKind::look, "Balanced coverage is not even",
          fmt::format("With the weights applied, bins still differ by more than {} at {} (standard "
                      "deviation over mean).",
                      percent_text(kUneven), listed(uneven)));
    }
    masked();
  }

  void masked() {
    const auto many = balanced_where(report_, [](const LevelNumbers& level, const auto& w) {
      return static_cast<double>(w.n_masked) > kManyMasked * static_cast<double>(level.n_bins);
    });
    if (!many.empty()) {
      add(FindingKind::look, "Many bins are left out",
          fmt::format("More than a quarter of the bins have no weight at {}. A level that fine may "
                      "be finer than the data.",
                      listed(many)));
    }
  }

  void coverage() {
    for (const LevelNumbers& level : report_.levels) {
      if (!is_well_covered(level)) continue;
      add(FindingKind::fact, fmt::format("Good for {} bins", resolution_text(level.bin_size)),
          fmt::format("The finest level at which 80 % of the bins have 1,000 contacts or more; "
                      "here {} have.",
                      percent_text(level.share_covered)));
      return;
    }
    add(FindingKind::fact, "A sparse map",
        "At no level do 80 % of the bins have 1,000 contacts or more.");
  }

  const MapReport& report_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> findings_of(const MapReport& report) { return Findings(report).all(); }

}  // namespace ziggurat::report
