#include "base/threads.hpp"

#include <future>
#include <system_error>
#include <thread>
#include <vector>

#include "base/check.hpp"

namespace ziggurat {

void require_threads(int n) {
  // Destroyed in reverse order: first the threads are told to end, then waited for.
  std::vector<std::jthread> threads;
  std::promise<void> ending;
  const std::shared_future<void> end = ending.get_future();
  try {
    for (int i = 0; i < n; ++i) threads.emplace_back([end] { end.wait(); });
  } catch (const std::system_error& error) {
    fail(ErrorCode::io, "cannot start {} threads: {}; -p asks for fewer", n,
         error.code().message());
  }
}

}  // namespace ziggurat
