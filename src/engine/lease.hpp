// One run at a time in a folder that outlives runs, without trusting locks.
//
// The file `owner` in the folder names the process that works there and is touched every few
// seconds while it lives. A run that finds one:
//  - whose process is seen to live: gives way;
//  - whose process is known to be dead: takes the folder over;
//  - of which nothing is known from here (another host or container, or a name that was never
//    written to its end): watches the file for a while. A sign of life within that time: gives
//    way; none: takes it over.
// Taking over is a rename, so that of two who try only one moves the file it has read about. What
// remains, an owner that was suspended while it was watched, or two who take over in one moment, is
// noticed by the owner itself, which asks before it saves anything.
// Thread rules: one thread.
#pragma once

#include <optional>
#include <string>

#include "proc/heartbeat.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat::engine {

class Lease {
 public:
  // Throws Error: busy when another run works in the folder, io, cancelled.
  Lease(const std::string& folder, Observer& observer);
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  // Gives the folder back, unless it was taken over.
  ~Lease();

  // Throws Error{busy} when another run has taken the folder over.
  void check() const;

 private:
  [[nodiscard]] bool try_take() const;
  void wait_for_end(const std::string& owner_text, Observer& observer) const;

  std::string folder_;
  std::string file_;
  std::string text_;
  std::optional<proc::Heartbeat> heartbeat_;
};

}  // namespace ziggurat::engine
