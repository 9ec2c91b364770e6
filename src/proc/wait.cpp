#include "proc/wait.hpp"

#include <algorithm>
#include <cerrno>

#include "base/check.hpp"
#include "proc/system_error.hpp"

namespace ziggurat::proc {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Rounded up, so that the last fraction of a millisecond is slept and not spun away.
int poll_timeout(Clock::time_point deadline) {
  const milliseconds left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, 1 << 30));
}

}  // namespace

int poll_until(std::span<pollfd> entries, Clock::time_point deadline) noexcept {
  for (;;) {
    const int ready = ::poll(entries.data(), entries.size(), poll_timeout(deadline));
    if (ready > 0) return ready;
    if (ready < 0 && errno != EINTR) return ready;
    if (Clock::now() >= deadline) return 0;
  }
}

std::vector<std::size_t> wait_readable(std::span<const int> fds, milliseconds timeout) {
  std::vector<pollfd> entries;
  entries.reserve(fds.size());
  for (const int fd : fds) entries.push_back({.fd = fd, .events = POLLIN, .revents = 0});

  if (poll_until(entries, Clock::now() + timeout) < 0) {
    fail_errno(ErrorCode::io, "cannot wait for messages", errno);
  }

  std::vector<std::size_t> readable;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if ((entries[i].revents & POLLNVAL) != 0) {
      fail(ErrorCode::internal, "waiting for descriptor {}, which is not open", entries[i].fd);
    }
    if (entries[i].revents != 0) readable.push_back(i);
  }
  return readable;
}

}  // namespace ziggurat::proc
