// Where a command's text goes: standard output, a file, or a file compressed with gzip.
//
// A file appears under its name when it is complete: until then it lies in a private folder beside
// it. A name that is no regular file (a pipe, a terminal, /dev/null) is written to directly.
// Thread rules: one thread.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "codec/gzip.hpp"
#include "engine/paths.hpp"
#include "engine/work_folder.hpp"

namespace ziggurat::cli {

class TextOutput {
 public:
  // `path`: empty or "-" for standard output; compressed when it ends in .gz. `input`: the file or
  // URI that the text is made of. Throws Error{io}; Error{usage} when both are the same file.
  TextOutput(const std::string& path, const std::string& input);
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;
  ~TextOutput();

  // Text is appended here; flush_if_full() passes it on now and then.
  [[nodiscard]] std::string& text() { return text_; }
  void flush_if_full();
  // Everything is in: passes on the rest and gives the file its name. Throws Error{io}.
  void finish();

 private:
  void flush();
  void put(const void* data, std::size_t bytes);

  std::string path_;  // of a file; empty: standard output
  std::string text_;
  std::unique_ptr<engine::WorkFolder> folder_;
  std::string temporary_;
  std::FILE* stream_ = stdout;
  std::unique_ptr<codec::GzipEncoder> gzip_;
};

}  // namespace ziggurat::cli
