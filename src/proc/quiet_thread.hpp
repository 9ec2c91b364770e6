// Threads that take no signal: those of the process go to the threads that wait for something.
#pragma once

#include <functional>
#include <thread>

namespace ziggurat::proc {

// Throws std::system_error where the system has no thread.
[[nodiscard]] std::thread start_quiet_thread(std::function<void()> work);

}  // namespace ziggurat::proc
