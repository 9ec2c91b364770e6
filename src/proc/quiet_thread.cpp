#include "proc/quiet_thread.hpp"

#include <signal.h>

#include <system_error>
#include <utility>

namespace ziggurat::proc {

// A thread inherits the mask of the one that starts it.
std::thread start_quiet_thread(std::function<void()> work) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  std::error_code refused;
  try {
    thread = std::thread(std::move(work));
  } catch (const std::system_error& error) {
    refused = error.code();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (refused) throw std::system_error(refused);
  return thread;
}

}  // namespace ziggurat::proc
