// Waiting for a reader without keeping silent, and not for ever.
//
// A reader that is slow, stopped, or hangs in a file system whose server is away sends nothing, and
// nobody can tell which from outside. So the user hears of it twice a minute, and after an hour the
// run ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "ziggurat/observer.hpp"

namespace ziggurat::engine {

class Patience {
 public:
  static constexpr std::chrono::seconds kBetweenNotes{25};
  static constexpr std::chrono::seconds kLimit{3600};

  // `what` begins a sentence: "reader 2 of FILE".
  Patience(std::string what, Observer& observer) : what_(std::move(what)), observer_(observer) {}

  // Another wait of this length was in vain. Waits are added up, and not read off a clock, because
  // the clock goes on while the whole run is stopped. Throws Error{worker} past the limit, and
  // Error{cancelled} when the observer wants no more.
  void waited(std::chrono::milliseconds time);

 private:
  std::string what_;
  Observer& observer_;
  std::chrono::milliseconds total_{0};
  std::int64_t n_notes_ = 0;
};

}  // namespace ziggurat::engine
