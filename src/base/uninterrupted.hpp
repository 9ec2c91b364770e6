// System calls that a signal interrupts are made again.
#pragma once

#include <cerrno>

namespace ziggurat {

// What `call` returns in the end: -1 with errno set, but never for EINTR.
template <typename Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

}  // namespace ziggurat
