#include "engine/patience.hpp"

#include "base/check.hpp"

namespace ziggurat::engine {

void Patience::waited(std::chrono::milliseconds time) {
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  if (observer_.cancelled()) fail(ErrorCode::cancelled, "stopped");
  total_ += time;
  if (total_ >= kLimit) {
    fail(ErrorCode::worker, "{} has sent nothing for {} minutes: it was stopped, or its disk hangs",
         what_, duration_cast<std::chrono::minutes>(total_).count());
  }
  if (total_ / kBetweenNotes == n_notes_) return;
  n_notes_ = total_ / kBetweenNotes;
  observer_.note(
      fmt::format("{} has sent nothing for {} s: its disk may be slow, or it was stopped", what_,
                  duration_cast<seconds>(total_).count()));
}

}  // namespace ziggurat::engine
