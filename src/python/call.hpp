// Calling into the library from Python: without Python's lock, and so that Ctrl-C ends the work.
//
// A Python exception (of a callback, or the KeyboardInterrupt of a signal) is kept while the
// library winds its work up as for any cancellation, and is raised when that is done: it never
// travels through the library.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <string>
#include <utility>

#include "ziggurat/error.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat::python {

// Hands on what the library says. Python's lock is free whenever the library calls this.
class PythonObserver final : public Observer {
 public:
  // `progress`: called with (stage, object, done, total); `note`: with a text. None: nobody hears.
  explicit PythonObserver(nanobind::object progress = nanobind::none(),
                          nanobind::object note = nanobind::none())
      : progress_(std::move(progress)), note_(std::move(note)) {}

  void note(const std::string& text) override;
  void progress(const Progress& moment) override;
  // Signals are looked at here. Python delivers them to its main thread only.
  bool cancelled() override;

  // With Python's lock: raises what has been kept, and what a signal asks for just now.
  void raise_kept();

 private:
  template <typename Call>
  void keep_failure(Call call);

  nanobind::object progress_;
  nanobind::object note_;
  std::exception_ptr failure_;
};

// Does work(observer) without Python's lock.
template <typename Work>
auto call_freely(PythonObserver& observer, Work work) {
  try {
    auto result = [&] {
      const nanobind::gil_scoped_release free;
      return work(observer);
    }();
    observer.raise_kept();
    return result;
  } catch (const Error&) {
    // A signal to the process group ends the readers too; what they say is then not the cause.
    observer.raise_kept();
    throw;
  }
}

}  // namespace ziggurat::python
