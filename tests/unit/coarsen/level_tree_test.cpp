#include "coarsen/level_tree.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "batches.hpp"
#include "genome/bins.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::coarsen {
namespace {

using Levels = std::vector<std::vector<Count>>;

const FieldRule kCount{Aggregation::sum, NumberType::i32, NumberType::i32, true};

// A level: what it is made from, and how many bins are pooled.
struct Step {
  int predecessor;
  std::int64_t factor;
};

// The tables of a tree over chromosomes of these numbers of bins.
class Ladder {
 public:
  Ladder(const std::vector<std::int64_t>& chromosome_bins, const std::vector<Step>& steps) {
    std::vector<genome::Chromosome> chromosomes;
    for (const std::int64_t n : chromosome_bins) {
      chromosomes.push_back({"c" + std::to_string(chromosomes.size()), n});
    }
    const genome::BinTable base = genome::BinTable::uniform(std::move(chromosomes), 1);
    std::vector<genome::BinTable> bins;
    for (const Step step : steps) {
      const genome::BinTable& from =
          step.predecessor == kBase ? base : bins[static_cast<std::size_t>(step.predecessor)];
      ids_.push_back(from.coarse_ids(step.factor));
      bins.push_back(from.coarsen(step.factor));
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      specs_.push_back(
          {steps[i].predecessor, ids_[i], static_cast<std::uint32_t>(bins[i].n_bins()), {kCount}});
    }
  }

  // Pushes the table in pieces that end at `cuts`, in one span.
  [[nodiscard]] Levels made(const std::vector<Count>& table, const std::vector<std::size_t>& cuts,
                            std::size_t batch_pixels) const {
    Levels levels(specs_.size());
    LevelTree tree(specs_, batch_pixels, [&](int level, const PixelBatch& batch) {
      const std::vector<Count> pixels = counts_of(batch);
      auto& all = levels[static_cast<std::size_t>(level)];
      all.insert(all.end(), pixels.begin(), pixels.end());
    });
    std::size_t first = 0;
    for (const std::size_t cut : cuts) {
      tree.push(compact(table, first, cut));
      first = cut;
    }
    tree.push(compact(table, first, table.size()));
    tree.finish_span();
    return levels;
  }

  [[nodiscard]] const std::vector<LevelSpec>& specs() const { return specs_; }

 private:
  std::vector<std::vector<std::uint32_t>> ids_;
  std::vector<LevelSpec> specs_;
};

// Pooled by k the slow way, with bins counted from each chromosome's begin.
std::vector<Count> pooled(const std::vector<Count>& table,
                          const std::vector<std::int64_t>& chromosome_bins, std::int64_t k) {
  std::vector<std::uint32_t> ids;
  std::uint32_t next = 0;
  for (const std::int64_t n : chromosome_bins) {
    for (std::int64_t bin = 0; bin < n; ++bin) {
      ids.push_back(next + static_cast<std::uint32_t>(bin / k));
    }
    next = ids.back() + 1;
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> sums;
  for (const Count& pixel : table) sums[{ids[pixel.row], ids[pixel.column]}] += pixel.value;
  std::vector<Count> coarse;
  for (const auto& [at, sum] : sums) coarse.push_back({at.first, at.second, sum});
  return coarse;
}

const std::vector<std::int64_t> kChromosomes{7, 1, 13, 2};

}  // namespace

TEST_CASE("pooling by a and then by b is pooling by a * b") {
  const std::vector<Count> table = random_map(23, 1);
  const Ladder ladder(kChromosomes, {{kBase, 2}, {0, 3}, {kBase, 6}});
  const Levels levels = ladder.made(table, {}, 10);
  CHECK(levels[0] == pooled(table, kChromosomes, 2));
  CHECK(levels[1] == pooled(table, kChromosomes, 6));
  CHECK(levels[2] == levels[1]);
}

TEST_CASE("a level may have several successors") {
  const std::vector<Count> table = random_map(23, 2);
  const Ladder ladder(kChromosomes, {{kBase, 2}, {0, 2}, {0, 5}, {1, 2}, {kBase, 3}, {4, 2}});
  const Levels levels = ladder.made(table, {}, 7);
  CHECK(levels[0] == pooled(table, kChromosomes, 2));
  CHECK(levels[1] == pooled(table, kChromosomes, 4));
  CHECK(levels[2] == pooled(table, kChromosomes, 10));
  CHECK(levels[3] == pooled(table, kChromosomes, 8));
  CHECK(levels[4] == pooled(table, kChromosomes, 3));
  CHECK(levels[5] == pooled(table, kChromosomes, 6));
}

TEST_CASE("neither where batches are cut nor how large they are changes any level") {
  const std::vector<Count> table = random_map(23, 3);
  const Ladder ladder(kChromosomes, {{kBase, 2}, {0, 3}, {0, 2}});
  const Levels expected = ladder.made(table, {}, 1000000);
  std::mt19937 random(4);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<std::size_t> cuts;
    for (std::size_t n = random() % 12; n > 0; --n) cuts.push_back(random() % (table.size() + 1));
    std::sort(cuts.begin(), cuts.end());
    CHECK(ladder.made(table, cuts, 1 + random() % 40) == expected);
  }
}

TEST_CASE("the sum of the counts is that of the base at every level") {
  const std::vector<Count> table = random_map(23, 5);
  const auto sum = [](const std::vector<Count>& level) {
    std::int64_t total = 0;
    for (const Count& pixel : level) total += pixel.value;
    return total;
  };
  const Ladder ladder(kChromosomes, {{kBase, 2}, {0, 3}, {1, 100}});
  for (const std::vector<Count>& level : ladder.made(table, {}, 3)) CHECK(sum(level) == sum(table));
}

TEST_CASE("sums beyond 32 bits reach the levels below whole") {
  const std::int64_t most = 2147483647;
  const Ladder ladder({4}, {{kBase, 2}, {0, 2}});
  const Levels levels = ladder.made({{0, 0, most}, {1, 1, most}, {2, 2, most}, {3, 3, 1}}, {}, 1);
  CHECK(levels[0] == std::vector<Count>{{0, 0, 4294967294}, {1, 1, 2147483648}});
  CHECK(levels[1] == std::vector<Count>{{0, 0, 6442450942}});
}

TEST_CASE("finishing a span hands on every level up to there, and nothing twice") {
  const Ladder ladder({4, 2}, {{kBase, 2}, {0, 2}});
  std::vector<std::pair<int, std::vector<Count>>> handed_on;
  LevelTree tree(ladder.specs(), 1000, [&](int level, const PixelBatch& batch) {
    handed_on.emplace_back(level, counts_of(batch));
  });
  tree.finish_span();
  CHECK(handed_on.empty());

  tree.push(compact({{0, 1, 5}, {3, 5, 6}}));
  CHECK(handed_on.empty());
  tree.finish_span();
  REQUIRE(handed_on.size() == 2);
  CHECK(handed_on[0] == std::pair(0, std::vector<Count>{{0, 0, 5}, {1, 2, 6}}));
  CHECK(handed_on[1] == std::pair(1, std::vector<Count>{{0, 0, 5}, {0, 1, 6}}));

  tree.finish_span();
  CHECK(handed_on.size() == 2);
  tree.push(compact({{4, 5, 7}}));
  tree.finish_span();
  REQUIRE(handed_on.size() == 4);
  CHECK(handed_on[2] == std::pair(0, std::vector<Count>{{2, 2, 7}}));
  CHECK(handed_on[3] == std::pair(1, std::vector<Count>{{1, 1, 7}}));
}

TEST_CASE("a level hands on its pixels once they are worth a batch") {
  const Ladder ladder({8}, {{kBase, 2}});
  std::vector<std::size_t> sizes;
  LevelTree tree(ladder.specs(), 2,
                 [&](int, const PixelBatch& batch) { sizes.push_back(batch.size()); });
  for (std::uint32_t row = 0; row < 8; row += 2) tree.push(compact({{row, row, 1}}));
  // The rows of the last pixel are still open.
  CHECK(sizes == std::vector<std::size_t>{2});
  tree.finish_span();
  CHECK(sizes == std::vector<std::size_t>{2, 2});
}

TEST_CASE("predecessors come first") {
  const Ladder ladder({8}, {{kBase, 2}, {0, 2}});
  std::vector<LevelSpec> specs = ladder.specs();
  specs[0].predecessor = 1;
  CHECK_THROWS_WITH(LevelTree(specs, 1, [](int, const PixelBatch&) {}),
                    "level 0 comes before its predecessor");
}

}  // namespace ziggurat::coarsen
