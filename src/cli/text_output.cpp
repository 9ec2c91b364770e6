#include "cli/text_output.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <span>
#include <utility>

#include "base/check.hpp"
#include "proc/signals.hpp"

namespace ziggurat::cli {

namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
constexpr int kGzipLevel = 6;

bool is_special(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

// Whoever reads from us and has enough closes the pipe: that is no failure worth a message.
[[noreturn]] void fail_writing(const std::string& path) {
  if (path.empty() && errno == EPIPE) proc::die_by_signal(SIGPIPE);
  const std::string reason = std::strerror(errno);
  fail(ErrorCode::io, "cannot write to {}: {}", path.empty() ? "standard output" : path, reason);
}

}  // namespace

TextOutput::TextOutput(const std::string& path, const std::string& input)
    : path_(path == "-" ? "" : path) {
  text_.reserve(kFlushBytes + kFlushBytes / 4);
  if (path_.ends_with(".gz")) gzip_ = std::make_unique<codec::GzipEncoder>(kGzipLevel);
  if (path_.empty()) return;
  std::string target = path_;
  if (!is_special(path_)) {
    engine::refuse_output_as_input(path_, input.substr(0, input.find("::")));
    path_ = engine::behind_link(path_);
    engine::check_output_path(path_);
    folder_ =
        std::make_unique<engine::WorkFolder>(engine::folder_of(path_), engine::name_of(path_));
    temporary_ = folder_->file("text");
    target = temporary_;
  }
  stream_ = std::fopen(target.c_str(), "we");
  if (stream_ == nullptr) fail_writing(path_);
}

TextOutput::~TextOutput() {
  if (!path_.empty() && stream_ != nullptr) std::fclose(stream_);
}

void TextOutput::put(const void* data, std::size_t bytes) {
  if (std::fwrite(data, 1, bytes, stream_) != bytes) fail_writing(path_);
}

void TextOutput::flush() {
  if (gzip_) {
    const auto member = gzip_->encode(std::as_bytes(std::span(text_)));
    put(member.data(), member.size());
  } else {
    put(text_.data(), text_.size());
  }
  text_.clear();
}

void TextOutput::flush_if_full() {
  if (text_.size() >= kFlushBytes) flush();
}

void TextOutput::finish() {
  // An empty file would not be a gzip file.
  if (!text_.empty() || gzip_) flush();
  if (std::fflush(stream_) != 0) fail_writing(path_);
  if (path_.empty()) return;
  if (std::fclose(std::exchange(stream_, nullptr)) != 0) fail_writing(path_);
  if (folder_) engine::publish(temporary_, path_);
}

}  // namespace ziggurat::cli
