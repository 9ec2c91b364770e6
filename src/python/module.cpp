#include "python/binding.hpp"
#include "ziggurat/version.hpp"

NB_MODULE(_native, module) {
  module.attr("version") = ZIGGURAT_VERSION;
  ziggurat::python::register_errors();
  ziggurat::python::bind_requests(module);
  ziggurat::python::bind_stages(module);
  ziggurat::python::bind_looks(module);
  ziggurat::python::bind_contact_map(module);
}
