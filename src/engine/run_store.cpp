// Problem: sort more records than memory holds.
// Method: half of the memory gathers records. When it is full, every thread sorts a part of it into
// the other half and back; the parts go to disk as runs, each in a file that has no name any more,
// so that nothing stays behind however the process ends. In the end all runs are merged. When there
// are kMostRuns of one tier, they are first merged into one of the next, so neither descriptors nor
// the buffers of a merge grow with the input.
// Cost: a record is sorted once, and written and read once for each tier, of which the second
// begins at kMostRuns x half the memory. Memory: the limit, and kReadBytes for each run of a merge.
// Invariant: runs lie in the order in which their records came, and so do those of a merge.
#include "engine/run_store.hpp"

#include <fcntl.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.hpp"
#include "base/uninterrupted.hpp"
#include "contacts/record_sort.hpp"

namespace ziggurat::engine {

namespace {

constexpr std::size_t kMostRuns = 64;
constexpr std::size_t kReadBytes = std::size_t{1} << 18;

}  // namespace

class RunStore::FileSource : public contacts::RecordSource {
 public:
  FileSource(const RunStore& store, const FileRun& run)
      : store_(store),
        run_(run),
        buffer_(std::max<std::size_t>(kReadBytes / 8 / store.words_, 1) * store.words_) {}

  std::span<const std::uint64_t> next() override {
    const auto wanted = static_cast<std::size_t>(
        std::min(run_.bytes - at_, static_cast<std::int64_t>(buffer_.size() * 8)));
    for (std::size_t done = 0; done < wanted;) {
      const auto n = uninterrupted([&] {
        return ::pread(run_.file.get(), reinterpret_cast<char*>(buffer_.data()) + done,
                       wanted - done, at_ + static_cast<std::int64_t>(done));
      });
      if (n <= 0) {
        fail(ErrorCode::io, "cannot read back sorted records in {}: {}", store_.limits_.folder,
             n < 0 ? std::strerror(errno) : "they are cut short");
      }
      done += static_cast<std::size_t>(n);
    }
    at_ += static_cast<std::int64_t>(wanted);
    return std::span<const std::uint64_t>(buffer_).first(wanted / 8);
  }

 private:
  const RunStore& store_;
  const FileRun& run_;
  std::vector<std::uint64_t> buffer_;
  std::int64_t at_ = 0;
};

class RunStore::MemorySource : public contacts::RecordSource {
 public:
  explicit MemorySource(std::span<const std::uint64_t> records) : records_(records) {}

  std::span<const std::uint64_t> next() override { return std::exchange(records_, {}); }

 private:
  std::span<const std::uint64_t> records_;
};

RunStore::RunStore(const contacts::KeyLayout& keys, std::size_t words, RunStoreLimits limits)
    : keys_(keys), words_(words), limits_(std::move(limits)) {
  const std::size_t half = std::max(limits_.memory_bytes, kLeastRunMemory) / 2 / 8;
  capacity_ = half / words_ * words_;
}

RunStore::~RunStore() = default;

void RunStore::add(std::span<const std::uint64_t> records) {
  while (!records.empty()) {
    if (buffer_.size() == capacity_) spill();
    const std::size_t n = std::min(records.size(), capacity_ - buffer_.size());
    // A vector that doubles beyond the limit would take memory that was not granted.
    if (buffer_.size() + n > buffer_.capacity()) {
      buffer_.reserve(std::min(capacity_, std::max(2 * buffer_.capacity(), buffer_.size() + n)));
    }
    buffer_.insert(buffer_.end(), records.begin(),
                   records.begin() + static_cast<std::ptrdiff_t>(n));
    records = records.subspan(n);
  }
}

// Every thread sorts its share of the buffer; `parts_` then says where each share lies.
void RunStore::sort_buffer() {
  scratch_.resize(buffer_.size());
  const std::size_t n_records = buffer_.size() / words_;
  const std::size_t n_parts =
      std::clamp<std::size_t>(n_records / 1024, 1, static_cast<std::size_t>(limits_.threads));
  parts_.assign(n_parts, {});
  const auto sort_part = [&](std::size_t part) {
    const std::size_t first = n_records * part / n_parts * words_;
    const std::size_t n = n_records * (part + 1) / n_parts * words_ - first;
    const std::span<std::uint64_t> sorted = contacts::sort_records(
        std::span(buffer_).subspan(first, n), std::span(scratch_).subspan(first, n), words_, keys_);
    parts_[part] = words_ > 1 ? sorted : sorted.first(contacts::add_up_counts(sorted, keys_));
  };
  if (n_parts == 1) {
    sort_part(0);
  } else {
    tbb::parallel_for(std::size_t{0}, n_parts, sort_part);
  }
}

void RunStore::spill() {
  sort_buffer();
  for (const std::span<std::uint64_t> part : parts_) {
    runs_.push_back({new_file(), static_cast<std::int64_t>(part.size_bytes()), 0});
    write(runs_.back().file.get(), part, 0);
    bytes_on_disk_ += runs_.back().bytes;
  }
  parts_.clear();
  buffer_.clear();
  for (;;) {
    const int tier = runs_.back().tier;
    std::size_t first = runs_.size();
    while (first > 0 && runs_[first - 1].tier == tier) --first;
    if (runs_.size() - first < kMostRuns) return;
    merge_last_runs(first);
  }
}

void RunStore::merge_last_runs(std::size_t first) {
  FileRun merged{new_file(), 0, runs_.back().tier + 1};
  {
    contacts::RunMerge merge(file_sources(first), words_);
    std::vector<std::uint64_t> out;
    const auto flush = [&] {
      write(merged.file.get(), out, merged.bytes);
      merged.bytes += static_cast<std::int64_t>(8 * out.size());
      out.clear();
    };
    while (const std::uint64_t* record = merge.next()) {
      out.insert(out.end(), record, record + words_);
      if (8 * out.size() >= kReadBytes) flush();
    }
    flush();
  }
  bytes_on_disk_ += merged.bytes;
  runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(first), runs_.end());
  runs_.push_back(std::move(merged));
}

proc::UniqueFd RunStore::new_file() const {
  const std::string path = limits_.folder + "/runs";
  proc::UniqueFd file(uninterrupted(
      [&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600); }));
  if (!file || ::unlink(path.c_str()) != 0) {
    fail(ErrorCode::io, "cannot keep sorted records in {}: {}", limits_.folder,
         std::strerror(errno));
  }
  return file;
}

void RunStore::write(int file, std::span<const std::uint64_t> records, std::int64_t at) const {
  std::span<const std::byte> bytes = std::as_bytes(records);
  while (!bytes.empty()) {
    const auto n = uninterrupted([&] { return ::pwrite(file, bytes.data(), bytes.size(), at); });
    if (n <= 0) {
      fail(ErrorCode::io, "cannot keep sorted records in {}: {}", limits_.folder,
           n < 0 ? std::strerror(errno) : "nothing was written");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += n;
  }
}

std::vector<std::unique_ptr<contacts::RecordSource>> RunStore::file_sources(
    std::size_t first) const {
  std::vector<std::unique_ptr<contacts::RecordSource>> sources;
  for (std::size_t r = first; r < runs_.size(); ++r) {
    sources.push_back(std::make_unique<FileSource>(*this, runs_[r]));
  }
  return sources;
}

contacts::RunMerge RunStore::sorted() {
  // What is left in memory goes to disk only when that frees memory for a merge.
  if (!runs_.empty() && !buffer_.empty()) spill();
  if (runs_.empty()) {
    sort_buffer();
  } else {
    buffer_ = {};
    scratch_ = {};
  }
  std::vector<std::unique_ptr<contacts::RecordSource>> sources = file_sources(0);
  for (const std::span<std::uint64_t> part : parts_) {
    sources.push_back(std::make_unique<MemorySource>(part));
  }
  return {std::move(sources), words_};
}

}  // namespace ziggurat::engine
