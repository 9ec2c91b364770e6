// Random records against std::stable_sort and a map of counts.
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <random>

#include "contacts/record_sort.hpp"
#include "contacts/run_merge.hpp"
#include "genome/bins.hpp"

namespace ziggurat::contacts {
namespace {

using Words = std::vector<std::uint64_t>;

Words random_records(const KeyLayout& keys, std::uint32_t n_bins, std::size_t n, std::size_t words,
                     unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::uint32_t> bin(0, n_bins - 1);
  Words records;
  for (std::size_t i = 0; i < n; ++i) {
    records.push_back(keys.key(bin(random), bin(random)));
    for (std::size_t w = 1; w < words; ++w) records.push_back(i);
  }
  return records;
}

Words sorted(Words records, std::size_t words, const KeyLayout& keys) {
  Words scratch(records.size());
  const std::span<std::uint64_t> out = sort_records(records, scratch, words, keys);
  return {out.begin(), out.end()};
}

// One vector, some words at a time.
class Pieces : public RecordSource {
 public:
  Pieces(Words records, std::size_t piece) : records_(std::move(records)), piece_(piece) {}
  std::span<const std::uint64_t> next() override {
    const std::size_t n = std::min(piece_, records_.size() - at_);
    at_ += n;
    return std::span<const std::uint64_t>(records_).subspan(at_ - n, n);
  }

 private:
  Words records_;
  std::size_t piece_;
  std::size_t at_ = 0;
};

TEST_CASE("keys keep row and column apart for any number of bins, and are never all ones") {
  for (const std::int64_t n_bins :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{1} << 16,
        (std::int64_t{1} << 31) + 1, genome::kMaxBins}) {
    const KeyLayout keys(n_bins);
    const auto last = static_cast<std::uint32_t>(std::max<std::int64_t>(n_bins - 1, 0));
    const std::uint64_t key = keys.key(last, last);
    CHECK(keys.row(key) == last);
    CHECK(keys.column(key) == last);
    CHECK(keys.count(key) == 1);
    CHECK(key + keys.most() - 1 != std::numeric_limits<std::uint64_t>::max());
    CHECK(keys.pixel(key + keys.most() - 1) == keys.pixel(key));
  }
}

TEST_CASE("sorting keeps the order of records of one pixel") {
  for (const std::uint32_t n_bins : {1U, 5U, 300U, 70'000U, 4'000'000'000U}) {
    for (const std::size_t words : {1U, 2U, 4U}) {
      const KeyLayout keys(n_bins);
      const Words records = random_records(keys, n_bins, 3000, words, n_bins);
      std::vector<Words> expected;
      for (std::size_t i = 0; i < records.size(); i += words) {
        expected.emplace_back(records.begin() + static_cast<std::ptrdiff_t>(i),
                              records.begin() + static_cast<std::ptrdiff_t>(i + words));
      }
      std::stable_sort(expected.begin(), expected.end(),
                       [](const Words& a, const Words& b) { return a[0] < b[0]; });
      Words flat;
      for (const Words& record : expected) flat.insert(flat.end(), record.begin(), record.end());
      CHECK(sorted(records, words, keys) == flat);
    }
  }
}

TEST_CASE("counts add up, whatever room a key has for them") {
  for (const std::uint32_t n_bins : {3U, 4'000'000'000U, 1'500'000'000U, 1'100'000'000U}) {
    const KeyLayout keys(n_bins);
    Words records = random_records(keys, 3, 5000, 1, 4);
    std::map<std::uint64_t, std::uint64_t> expected;
    for (const std::uint64_t record : records) ++expected[keys.pixel(record)];
    records = sorted(records, 1, keys);
    records.resize(add_up_counts(records, keys));
    std::map<std::uint64_t, std::uint64_t> found;
    for (const std::uint64_t record : records) found[keys.pixel(record)] += keys.count(record);
    CHECK(found == expected);
    CHECK(std::is_sorted(records.begin(), records.end(), [&](std::uint64_t a, std::uint64_t b) {
      return keys.pixel(a) < keys.pixel(b);
    }));
    if (n_bins == 3) CHECK(records.size() == expected.size());
  }
}

TEST_CASE("runs are merged in order, equal ones by their run") {
  const KeyLayout keys(40);
  for (const std::size_t n_runs : {0U, 1U, 2U, 3U, 7U, 16U, 33U}) {
    std::vector<std::unique_ptr<RecordSource>> runs;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;
    for (std::size_t r = 0; r < n_runs; ++r) {
      // Every third run is empty.
      Words run = random_records(keys, 40, r % 3 == 1 ? 0 : 200, 2, static_cast<unsigned>(r));
      run = sorted(run, 2, keys);
      for (std::size_t i = 1; i < run.size(); i += 2) {
        run[i] = 1000 * r + i;
        expected.emplace_back(run[i - 1], run[i]);
      }
      runs.push_back(std::make_unique<Pieces>(run, 2 * (r + 1)));
    }
    std::sort(expected.begin(), expected.end());
    RunMerge merge(std::move(runs), 2);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
    while (const std::uint64_t* record = merge.next()) found.emplace_back(record[0], record[1]);
    CHECK(found == expected);
    CHECK(merge.next() == nullptr);
  }
}

}  // namespace
}  // namespace ziggurat::contacts
