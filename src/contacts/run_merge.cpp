// Problem: the least of the first records of up to some hundred runs, again and again.
// Method: a tree of losers. Run r plays at leaf n + r; every inner node keeps the loser of the
// match below it, the winner goes up. When the winner's run has moved on, only the matches on its
// way to the root are played again, each with one comparison. Cost: log2(runs) comparisons a
// record. A run that is at its end has a key above all others.
#include "contacts/run_merge.hpp"

#include <limits>
#include <utility>

namespace ziggurat::contacts {

namespace {

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

}  // namespace

RunMerge::RunMerge(std::vector<std::unique_ptr<RecordSource>> runs, std::size_t words)
    : words_(words), tree_(runs.size()) {
  for (auto& source : runs) {
    runs_.push_back({std::move(source), nullptr, nullptr});
    refill(runs_.back());
  }
  const std::size_t n = runs_.size();
  std::vector<Head> winners(2 * n);
  for (std::size_t r = 0; r < n; ++r) winners[n + r] = head(r);
  for (std::size_t node = n; node-- > 1;) {
    const Head a = winners[2 * node];
    const Head b = winners[2 * node + 1];
    winners[node] = a < b ? a : b;
    tree_[node] = a < b ? b : a;
  }
  if (n > 0) tree_[0] = winners[1];
}

void RunMerge::refill(Run& run) {
  const std::span<const std::uint64_t> records = run.source->next();
  run.at = records.data();
  run.end = records.data() + records.size();
}

RunMerge::Head RunMerge::head(std::size_t run) const {
  const Run& r = runs_[run];
  return {r.at == r.end ? kEnd : *r.at, static_cast<std::uint32_t>(run)};
}

const std::uint64_t* RunMerge::next() {
  if (runs_.empty()) return nullptr;
  if (advance_winner_) {
    const std::size_t index = tree_[0].run;
    Run& run = runs_[index];
    run.at += words_;
    if (run.at == run.end) refill(run);
    Head winner = head(index);
    for (std::size_t node = (runs_.size() + index) / 2; node > 0; node /= 2) {
      if (tree_[node] < winner) std::swap(tree_[node], winner);
    }
    tree_[0] = winner;
  }
  advance_winner_ = tree_[0].key != kEnd;
  return advance_winner_ ? runs_[tree_[0].run].at : nullptr;
}

}  // namespace ziggurat::contacts
