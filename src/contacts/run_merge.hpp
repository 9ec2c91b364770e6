// Many sorted runs of records as one.
//
// Thread rules: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ziggurat::contacts {

// Records in ascending order, some at a time.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  // The next records, whole ones and at least one; nothing after the last. Valid until the next
  // call.
  virtual std::span<const std::uint64_t> next() = 0;
};

class RunMerge {
 public:
  // `words`: of a record.
  RunMerge(std::vector<std::unique_ptr<RecordSource>> runs, std::size_t words);

  // The next record, in the order of first words and, where they are equal, of runs; null after the
  // last. Valid until the next call.
  [[nodiscard]] const std::uint64_t* next();

 private:
  struct Head {
    std::uint64_t key = 0;
    std::uint32_t run = 0;
    friend bool operator<(const Head& a, const Head& b) {
      return a.key != b.key ? a.key < b.key : a.run < b.run;
    }
  };
  struct Run {
    std::unique_ptr<RecordSource> source;
    const std::uint64_t* at = nullptr;
    const std::uint64_t* end = nullptr;
  };

  void refill(Run& run);
  [[nodiscard]] Head head(std::size_t run) const;

  std::size_t words_;
  std::vector<Run> runs_;
  std::vector<Head> tree_;  // [0] the winner, [i] the loser of the match at inner node i
  bool advance_winner_ = false;
};

}  // namespace ziggurat::contacts
