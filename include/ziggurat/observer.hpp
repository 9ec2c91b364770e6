// How a caller follows and stops long work.
#pragma once

#include <cstdint>
#include <string>

#include "ziggurat/export.hpp"
#include "ziggurat/perf.hpp"

namespace ziggurat {

// A moment in the work.
struct Progress {
  std::string stage;   // "reading", "assembling", ...
  std::string object;  // the file or level it is about
  std::uint64_t done = 0;
  std::uint64_t total = 0;      // 0 when not known
  std::string unit = "pixels";  // what is counted; or "contacts", "rounds", "levels", "bytes"
};

// Implement what is of interest; the defaults do nothing. All calls come from the thread that
// called into the library, between steps of the work; they should return quickly. An exception
// thrown by an implementation ends the work like any error and reaches the caller.
class ZIGGURAT_API Observer {
 public:
  virtual ~Observer() = default;
  // A fact that the user should hear of although the work goes on: one line.
  virtual void note(const std::string& text) { static_cast<void>(text); }
  virtual void progress(const Progress& moment) { static_cast<void>(moment); }
  // Once, at the end of work that went well: where its time went.
  virtual void measured(const PerfReport& report) { static_cast<void>(report); }
  // Asked at least every 200 ms while waiting; true ends the work with Error{cancelled}.
  virtual bool cancelled() { return false; }
  // Asked as often as a checkpoint could be saved; true saves one now, where one is kept.
  virtual bool checkpoint_wanted() { return false; }
};

}  // namespace ziggurat
