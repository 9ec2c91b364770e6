// The parts of the extension module `_native`. It is the C++ interface as it is: requests are
// filled field by field, reports come as dictionaries. What Python people see is made of it by the
// Python files in ziggurat/.
#pragma once

#include <nanobind/nanobind.h>

namespace ziggurat::python {

// Classes of requests, and the enumerations in them.
void bind_requests(nanobind::module_& module);
// Functions that make, change and move maps.
void bind_stages(nanobind::module_& module);
// Functions that look at files, and ContactMap.
void bind_looks(nanobind::module_& module);
void bind_contact_map(nanobind::module_& module);
// ziggurat::Error becomes an exception of ziggurat/_errors.py.
void register_errors();

}  // namespace ziggurat::python
