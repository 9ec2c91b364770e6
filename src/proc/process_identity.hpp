// Which process something on a disk belongs to, and whether that process still lives.
//
// A pid alone says little: it is given again, and it means nothing on another host or in another
// container that sees the same folder. So a pid counts only together with the boot of the kernel
// and the name spaces it was given in, and with the moment its process started. Where these differ
// from ours, nothing can be known of the process from here.
// Thread rules: values and free functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ziggurat::proc {

struct ProcessIdentity {
  std::string host;         // for people
  std::string boot;         // random name that the kernel took when it started; empty: unknown
  std::string name_spaces;  // of pids and of time
  std::int64_t pid = 0;
  std::uint64_t start_ticks = 0;  // since boot; 0: unknown

  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

enum class Life { alive, dead, unknown };

[[nodiscard]] ProcessIdentity this_process();

// unknown: the process runs, or ran, where it cannot be seen from here.
[[nodiscard]] Life life_of(const ProcessIdentity& process);

// Five lines, "host NAME" and so on; parse takes exactly that.
[[nodiscard]] std::string to_text(const ProcessIdentity& process);
[[nodiscard]] std::optional<ProcessIdentity> parse_process(std::string_view text);

// Continues a sentence: "process 1234 on host NAME".
[[nodiscard]] std::string describe(const ProcessIdentity& process);

}  // namespace ziggurat::proc
