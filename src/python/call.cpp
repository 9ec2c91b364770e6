#include "python/call.hpp"

#include <nanobind/stl/string.h>

#include "python/binding.hpp"
#include "python/text.hpp"

namespace nb = nanobind;

namespace ziggurat::python {

template <typename Call>
void PythonObserver::keep_failure(Call call) {
  if (failure_) return;
  const nb::gil_scoped_acquire lock;
  try {
    call();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void PythonObserver::note(const std::string& text) {
  keep_failure([&] {
    if (!note_.is_none()) note_(text_of(text));
  });
}

void PythonObserver::progress(const Progress& moment) {
  keep_failure([&] {
    if (!progress_.is_none()) {
      progress_(moment.stage, text_of(moment.object), moment.done, moment.total);
    }
  });
}

bool PythonObserver::cancelled() {
  keep_failure([] {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  });
  return failure_ != nullptr;
}

void PythonObserver::raise_kept() {
  if (!failure_ && PyErr_CheckSignals() != 0) throw nb::python_error();
  if (failure_) std::rethrow_exception(failure_);
}

void register_errors() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      const nb::object made =
          nb::module_::import_("ziggurat._errors")
              .attr("error_of")(static_cast<int>(error.code()), text_of(error.what()));
      PyErr_SetObject(made.type().ptr(), made.ptr());
    }
  });
}

}  // namespace ziggurat::python
