// The parsers of ours that take bytes from outside, each as a function of any bytes.
//
// A target may throw ziggurat::Error and return. Whatever else comes of it is a finding: another
// exception, a crash, a sanitizer's report, no end, or a broken promise, for which it aborts. Used
// by the driver (any compiler, a fixed number of runs) and by libFuzzer (clang).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ziggurat::fuzz {

using Bytes = std::vector<std::byte>;

struct Target {
  const char* name;
  void (*run)(std::span<const std::byte> input);
  std::vector<Bytes> (*seeds)();  // sound inputs to begin from
};

[[nodiscard]] std::span<const Target> targets();

// Runs a target, taking Error for an answer.
void run(const Target& target, std::span<const std::byte> input);

}  // namespace ziggurat::fuzz
