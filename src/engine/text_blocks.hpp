// A text file as blocks of whole lines, read ahead by a thread of its own: plain, or compressed
// with gzip or bgzip, from a file, a pipe or standard input.
//
// Memory: the blocks ahead, 1 MiB each, whatever the file. No line may be longer than a block.
// Thread rules: one thread uses it; it must live until the object is gone.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "proc/fd.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat::engine {

constexpr std::size_t kTextBlockBytes = std::size_t{1} << 20;

struct TextBlock {
  std::string text;
  bool line_too_long = false;  // the line after `text` is; nothing follows
};

class TextBlocks {
 public:
  // `path`: "-" for standard input. Reads up to `ahead` blocks before they are asked for.
  // Throws Error{input} when it cannot be opened, Error{io} without threads or descriptors.
  TextBlocks(const std::string& path, std::size_t ahead);
  TextBlocks(const TextBlocks&) = delete;
  TextBlocks& operator=(const TextBlocks&) = delete;
  ~TextBlocks();

  // The next one to `most` blocks, in their order; none after the last.
  // Throws Error: input (reading failed), format (damaged or unknown compression), cancelled.
  [[nodiscard]] std::vector<TextBlock> next(std::size_t most, Observer& observer);
  // After the last block: what the user should hear of although all was read; else empty.
  [[nodiscard]] const std::string& note() const { return note_; }

 private:
  class Bytes;

  void read_all() noexcept;
  void read_blocks(Bytes& bytes);
  void check_end(const Bytes& bytes, const std::string& text);
  [[nodiscard]] bool put(TextBlock block);

  std::string label_;
  std::size_t ahead_;
  proc::UniqueFd file_;
  proc::UniqueFd stop_;  // readable once the thread is to end
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  std::deque<TextBlock> blocks_;
  bool ended_ = false;
  bool stopped_ = false;
  std::exception_ptr error_;
  std::string note_;  // not written any more once ended_ is set

  std::thread thread_;
};

}  // namespace ziggurat::engine
