// Waiting for the first of several descriptors.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace ziggurat::proc {

// Positions in fds, ascending, of those that can be read without blocking (end of stream and a
// process's end count as readable); empty when timeout passed first. Negative descriptors are
// ignored. Signals do not cut the wait short. Requires: 0 <= timeout <= one day. Throws
// Error{internal} for a descriptor that is not open.
[[nodiscard]] std::vector<std::size_t> wait_readable(std::span<const int> fds,
                                                     std::chrono::milliseconds timeout);

// poll(2) that goes on after signals: how many entries have events, 0 at the deadline, -1 with
// errno when the call fails. For destructors too: allocates nothing.
int poll_until(std::span<pollfd> entries, std::chrono::steady_clock::time_point deadline) noexcept;

}  // namespace ziggurat::proc
