// A thread reads, inflates and cuts at line ends; a bounded queue lies between it and whoever
// parses. It never blocks where it could not be stopped: it waits for the file and for the call to
// stop at once, so that a pipe nobody writes to does not hold up the end of the program.
#include "engine/text_blocks.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/check.hpp"
#include "base/threads.hpp"
#include "base/uninterrupted.hpp"
#include "codec/gunzip.hpp"
#include "codec/gzip_stream.hpp"

namespace ziggurat::engine {

namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 18;
constexpr std::chrono::milliseconds kAskForCancel{100};

struct Magic {
  std::string_view begin;
  const char* name;
  const char* reader;
};
constexpr std::array<Magic, 4> kOtherCompressions{{{"BZh", "bzip2", "bzcat"},
                                                   {"\xFD\x37zXZ", "xz", "xzcat"},
                                                   {"\x28\xB5\x2F\xFD", "zstd", "zstdcat"},
                                                   {"PK\x03\x04", "zip", "unzip -p"}}};

proc::UniqueFd open_text(const std::string& path) {
  const int fd = path == "-"
                     ? uninterrupted([] { return ::fcntl(0, F_DUPFD_CLOEXEC, 3); })
                     : uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (fd < 0) {
    fail(ErrorCode::input, "cannot open {}: {}", path == "-" ? "standard input" : path,
         std::strerror(errno));
  }
  return proc::UniqueFd(fd);
}

}  // namespace

// The file's bytes, inflated where they are compressed.
class TextBlocks::Bytes {
 public:
  Bytes(const std::string& label, int file, int stop) : label_(label), file_(file), stop_(stop) {}

  // At the end: bgzip closes with a mark, so without it something may be missing.
  [[nodiscard]] bool lacks_end_mark() const {
    return is_bgzip_ && !codec::is_bgzip_end(std::as_bytes(std::span(last_bytes_)));
  }

  // Fills `out` unless the file ends before. Returns the bytes written; nothing when stopped.
  std::optional<std::size_t> fill(std::span<std::byte> out) {
    if (!begun_ && !begin()) return std::nullopt;
    std::size_t made = 0;
    while (made < out.size()) {
      if (ahead_.empty() && !ended_ && !read_some()) return std::nullopt;
      if (ahead_.empty()) break;
      made += take(out.subspan(made));
    }
    if (ended_ && ahead_.empty() && gzip_ && !gzip_->complete()) {
      fail(ErrorCode::format, "{}: the gzip data are cut short", label_);
    }
    return made;
  }

 private:
  // Enough bytes to tell what the file is.
  bool begin() {
    begun_ = true;
    while (ahead_.size() < codec::kBgzipHeadBytes && !ended_) {
      if (!read_some()) return false;
    }
    const std::string_view head(reinterpret_cast<const char*>(ahead_.data()), ahead_.size());
    for (const Magic& magic : kOtherCompressions) {
      if (!head.starts_with(magic.begin)) continue;
      fail(ErrorCode::format,
           "{} is compressed with {}, which is not read here: pipe it through {} and name - as "
           "the input",
           label_, magic.name, magic.reader);
    }
    if (codec::is_gzip(ahead_)) gzip_.emplace();
    is_bgzip_ = codec::is_bgzip(ahead_);
    return true;
  }

  std::size_t take(std::span<std::byte> out) {
    if (gzip_) {
      try {
        return gzip_->inflate(ahead_, out);
      } catch (const Error& error) {
        fail(error.code(), "{}: {}", label_, error.what());
      }
    }
    const std::size_t n = std::min(out.size(), ahead_.size());
    std::copy_n(ahead_.begin(), n, out.begin());
    ahead_ = ahead_.subspan(n);
    return n;
  }

  // Appends to what is ahead, at least a byte unless the file ends. False when stopped.
  bool read_some() {
    std::array<pollfd, 2> fds{{{file_, POLLIN, 0}, {stop_, POLLIN, 0}}};
    uninterrupted([&] { return ::poll(fds.data(), fds.size(), -1); });
    if (fds[1].revents != 0) return false;
    const std::size_t kept = ahead_.size();
    if (kept > 0) std::memmove(buffer_.data(), ahead_.data(), kept);
    const auto n =
        uninterrupted([&] { return ::read(file_, buffer_.data() + kept, buffer_.size() - kept); });
    if (n < 0) fail(ErrorCode::input, "cannot read {}: {}", label_, std::strerror(errno));
    ended_ = n == 0;
    remember({reinterpret_cast<const char*>(buffer_.data()) + kept, static_cast<std::size_t>(n)});
    ahead_ = std::span<const std::byte>(buffer_).first(kept + static_cast<std::size_t>(n));
    return true;
  }

  void remember(std::string_view bytes) {
    last_bytes_ += bytes.substr(bytes.size() - std::min(bytes.size(), codec::kBgzipEndBytes));
    last_bytes_.erase(0, last_bytes_.size() - std::min(last_bytes_.size(), codec::kBgzipEndBytes));
  }

  std::string label_;
  int file_;
  int stop_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(kReadBytes);
  std::span<const std::byte> ahead_;  // of the buffer: read and not yet taken
  bool begun_ = false;
  bool ended_ = false;
  std::optional<codec::GzipStream> gzip_;
  bool is_bgzip_ = false;
  std::string last_bytes_;  // of the file as it is stored
};

TextBlocks::TextBlocks(const std::string& path, std::size_t ahead)
    : label_(path == "-" ? "standard input" : path),
      ahead_(std::max<std::size_t>(ahead, 1)),
      file_(open_text(path)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  if (!stop_) fail(ErrorCode::io, "cannot make an event descriptor: {}", std::strerror(errno));
  require_threads(1);
  thread_ = std::thread([this] { read_all(); });
}

TextBlocks::~TextBlocks() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  const std::uint64_t one = 1;
  uninterrupted([&] { return ::write(stop_.get(), &one, sizeof one); });
  thread_.join();
}

void TextBlocks::read_all() noexcept {
  std::exception_ptr error;
  try {
    Bytes bytes(label_, file_.get(), stop_.get());
    read_blocks(bytes);
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  error_ = error;
  ended_ = true;
  changed_.notify_all();
}

void TextBlocks::read_blocks(Bytes& bytes) {
  std::string rest;
  for (;;) {
    TextBlock block;
    block.text = rest;
    block.text.resize(rest.size() + kTextBlockBytes);
    const auto room = std::as_writable_bytes(std::span(block.text)).subspan(rest.size());
    const std::optional<std::size_t> n = bytes.fill(room);
    if (!n) return;
    block.text.resize(rest.size() + *n);
    if (*n < room.size()) {
      check_end(bytes, block.text);
      if (!block.text.empty()) static_cast<void>(put(std::move(block)));
      return;
    }
    const std::size_t cut = block.text.rfind('\n') + 1;  // 0 when there is none
    rest = block.text.substr(cut);
    block.text.resize(cut);
    block.line_too_long = rest.size() >= kTextBlockBytes;
    const bool last = block.line_too_long;
    if (!put(std::move(block)) || last) return;
  }
}

// `text`: the last of it.
void TextBlocks::check_end(const Bytes& bytes, const std::string& text) {
  if (!bytes.lacks_end_mark()) return;
  if (!text.empty() && text.back() != '\n') {
    fail(ErrorCode::format,
         "{}: the bgzip data are cut short: they have no end mark and end within a line", label_);
  }
  note_ = label_ + ": bgzip's end mark is missing: if the file was cut short, contacts are missing";
}

// False when nobody wants more.
bool TextBlocks::put(TextBlock block) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || blocks_.size() < ahead_; });
  if (stopped_) return false;
  blocks_.push_back(std::move(block));
  changed_.notify_all();
  return true;
}

std::vector<TextBlock> TextBlocks::next(std::size_t most, Observer& observer) {
  std::vector<TextBlock> taken;
  std::unique_lock lock(mutex_);
  while (blocks_.empty() && !ended_) {
    changed_.wait_for(lock, kAskForCancel);
    if (observer.cancelled()) fail(ErrorCode::cancelled, "stopped");
  }
  if (blocks_.empty() && error_) std::rethrow_exception(error_);
  while (!blocks_.empty() && taken.size() < most) {
    taken.push_back(std::move(blocks_.front()));
    blocks_.pop_front();
  }
  changed_.notify_all();
  return taken;
}

}  // namespace ziggurat::engine
