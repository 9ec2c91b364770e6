#include "proc/last_resort.hpp"

#include <unistd.h>

#include <atomic>
#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "proc/quiet_thread.hpp"
#include "proc/signals.hpp"
#include "proc/wait.hpp"

namespace ziggurat::proc {

namespace {

using namespace std::chrono_literals;

constexpr auto kTidyTime = 300ms;
constexpr auto kLongest = 24h;

// The promise outlives both: a thread that hangs is never joined.
void tidy_for_a_moment(const std::function<void()>& tidy) {
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> end = done->get_future();
  try {
    start_quiet_thread([done, tidy] {
      tidy();
      done->set_value();
    }).detach();
  } catch (const std::system_error&) {
    return;
  }
  end.wait_for(kTidyTime);
}

void wait_for_signal() {
  const std::vector<int> waited_for{signal_fd()};
  while (!pending_signal()) {
    static_cast<void>(wait_readable(waited_for, kLongest));
  }
}

}  // namespace

bool is_first_to_end() noexcept {
  static std::atomic<bool> taken{false};
  if (!taken.exchange(true)) return true;
  while (true) ::pause();
}

void end_when_stuck(std::chrono::milliseconds patience, std::function<void()> tidy,
                    std::function<void(int)> die) {
  try {
    start_quiet_thread([patience, tidy = std::move(tidy), die = std::move(die)] {
      wait_for_signal();
      std::this_thread::sleep_for(patience);
      if (!is_first_to_end()) return;
      tidy_for_a_moment(tidy);
      die(*pending_signal());
    }).detach();
  } catch (const std::system_error&) {
    // The process then ends when the call does.
    return;
  }
}

}  // namespace ziggurat::proc
