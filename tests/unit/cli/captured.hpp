// What a test writes to standard output and standard error, as text.
#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <iostream>
#include <string>

namespace ziggurat::cli {

// A descriptor is another file, or what `other` is, for as long as this lives.
class Captured {
 public:
  // Into a file of its own.
  explicit Captured(int fd) : Captured(fd, ::fileno(std::tmpfile())) {}
  Captured(int fd, int other) : fd_(fd), kept_(::dup(fd)) {
    flush();
    REQUIRE(::dup2(other, fd) == fd);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() {
    flush();
    ::dup2(kept_, fd_);
    ::close(kept_);
  }

  // All that was written so far.
  [[nodiscard]] std::string text() const {
    flush();
    std::string text;
    char part[4096];
    for (ssize_t n = 1; n > 0;) {
      n = ::pread(fd_, part, sizeof part, static_cast<off_t>(text.size()));
      if (n > 0) text.append(part, static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  static void flush() {
    std::cout.flush();
    std::fflush(nullptr);
  }

  int fd_;
  int kept_;
};

}  // namespace ziggurat::cli
