// Records in any number and any order, sorted within bounded memory.
//
// The records handed out depend on those put in alone, and not on memory or threads: records of one
// pixel come in the order in which they were put in, or, where they are only counted, add up to the
// same.
// Thread rules: one thread; sorting uses others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "contacts/keys.hpp"
#include "contacts/run_merge.hpp"
#include "proc/fd.hpp"

namespace ziggurat::engine {

struct RunStoreLimits {
  std::size_t memory_bytes = 0;  // for records; at least kLeastRunMemory
  int threads = 1;
  std::string folder;  // where runs that do not fit into memory are kept, in files without a name
};

constexpr std::size_t kLeastRunMemory = std::size_t{1} << 20;

class RunStore {
 public:
  // `words`: of a record; records of one word are counted.
  RunStore(const contacts::KeyLayout& keys, std::size_t words, RunStoreLimits limits);
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;
  ~RunStore();

  // Throws Error{io} naming the folder when it cannot hold them.
  void add(std::span<const std::uint64_t> records);

  // Everything is in. The result reads from this object; call it once.
  [[nodiscard]] contacts::RunMerge sorted();

  [[nodiscard]] std::int64_t bytes_on_disk() const { return bytes_on_disk_; }

 private:
  struct FileRun {
    proc::UniqueFd file;
    std::int64_t bytes = 0;
    int tier = 0;  // 0: of one sort; t + 1: of runs of tier t
  };
  class FileSource;
  class MemorySource;

  void sort_buffer();
  void spill();
  void merge_last_runs(std::size_t first);
  [[nodiscard]] proc::UniqueFd new_file() const;
  void write(int file, std::span<const std::uint64_t> records, std::int64_t at) const;
  [[nodiscard]] std::vector<std::unique_ptr<contacts::RecordSource>> file_sources(
      std::size_t first) const;

  contacts::KeyLayout keys_;
  std::size_t words_;
  RunStoreLimits limits_;
  std::size_t capacity_;               // words
  std::vector<std::uint64_t> buffer_;  // grows to the capacity
  std::vector<std::uint64_t> scratch_;
  std::vector<std::span<std::uint64_t>> parts_;  // of the buffer or the scratch, each sorted
  std::vector<FileRun> runs_;
  std::int64_t bytes_on_disk_ = 0;
};

}  // namespace ziggurat::engine
