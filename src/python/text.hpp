// Texts that name files: bytes that are no UTF-8 come as Python's own file functions give them.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace ziggurat::python {

// What stubs are to say of values whose keys and items are of one type.
using Texts = nanobind::typed<nanobind::list, nanobind::str>;
using Record = nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>;
using Records = nanobind::typed<nanobind::list, Record>;

// Throws nanobind::python_error, in practice when memory is out.
inline nanobind::str text_of(const std::string& text) {
  PyObject* made =
      PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  if (made == nullptr) throw nanobind::python_error();
  return nanobind::steal<nanobind::str>(made);
}

inline Texts texts_of(const std::vector<std::string>& texts) {
  nanobind::list made;
  for (const std::string& text : texts) made.append(text_of(text));
  return made;
}

// A path or URI as bytes, from what os.fspath() gives.
inline std::string path_of(nanobind::handle given) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(given.ptr(), &bytes) == 0) throw nanobind::python_error();
  const nanobind::object owner = nanobind::steal(bytes);
  return {PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes))};
}

}  // namespace ziggurat::python
