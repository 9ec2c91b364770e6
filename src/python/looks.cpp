#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/binding.hpp"
#include "python/call.hpp"
#include "python/columns.hpp"
#include "python/reports.hpp"
#include "python/text.hpp"
#include "ziggurat/compare.hpp"
#include "ziggurat/inspect.hpp"
#include "ziggurat/verify.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ziggurat::python {
namespace {

nb::dict verdict_of(const LevelVerdict& verdict) {
  nb::dict made;
  made["group"] = text_of(verdict.group);
  made["resolution"] = verdict.resolution;
  made["n_bins"] = verdict.n_bins;
  made["n_pixels"] = verdict.n_pixels;
  made["sum"] = verdict.sum;
  made["compared_with"] = text_of(verdict.compared_with);
  made["faults"] = texts_of(verdict.faults);
  return made;
}

Record verify_file(const nb::object& target, int processes, const nb::object& progress,
                   const nb::object& note) {
  VerifyRequest request;
  request.target = path_of(target);
  request.settings.processes = processes;
  PythonObserver observer(progress, note);
  const VerifyReport report =
      call_freely(observer, [&](Observer& listening) { return verify(request, listening); });
  nb::dict made;
  made["faults"] = texts_of(report.faults);
  made["levels"] = list_of(report.levels, verdict_of);
  return made;
}

nb::dict difference_of(const Difference& difference) {
  static constexpr const char* kKinds[] = {"map", "bins", "attribute", "column", "pixels"};
  nb::dict made;
  made["kind"] = kKinds[static_cast<std::size_t>(difference.kind)];
  made["group"] = text_of(difference.group);
  made["object"] = text_of(difference.object);
  made["text"] = text_of(difference.text);
  made["n_only_a"] = difference.n_only_a;
  made["n_only_b"] = difference.n_only_b;
  made["n_different"] = difference.n_different;
  made["largest"] = nb::cast(difference.largest);
  return made;
}

Record compare_maps(const nb::object& a, const nb::object& b, double tolerance,
                    const nb::object& progress, const nb::object& note) {
  CompareRequest request;
  request.a = path_of(a);
  request.b = path_of(b);
  request.tolerance = tolerance;
  PythonObserver observer(progress, note);
  const CompareReport report =
      call_freely(observer, [&](Observer& listening) { return compare(request, listening); });
  nb::dict made;
  made["n_maps"] = report.n_maps;
  made["n_pixels"] = report.n_pixels;
  made["differences"] = list_of(report.differences, difference_of);
  return made;
}

Texts maps_in(const nb::object& file) {
  const std::string path = path_of(file);
  PythonObserver observer;
  return texts_of(
      call_freely(observer, [&](Observer& listening) { return list_maps(path, "", &listening); }));
}

// The attributes of a map as they are stored: a pair of (is a scalar, array of values) each.
Record attributes_of(const nb::object& uri) {
  const std::string path = path_of(uri);
  PythonObserver observer;
  const std::vector<FileObject> objects = call_freely(observer, [&](Observer& listening) {
    // Says what the file holds instead when this is no map.
    static_cast<void>(map_attributes(path, "", &listening));
    return list_objects(path, 0, "", &listening);
  });
  nb::dict made;
  for (const ObjectAttribute& attribute : objects.front().attributes) {
    made[text_of(attribute.name)] = nb::make_tuple(attribute.scalar, column_of(attribute.values));
  }
  return made;
}

}  // namespace

void bind_looks(nb::module_& module) {
  module.def("verify", &verify_file, "target"_a, "processes"_a = 0, "progress"_a = nb::none(),
             "note"_a = nb::none());
  module.def("compare", &compare_maps, "a"_a, "b"_a, "tolerance"_a = 0.0, "progress"_a = nb::none(),
             "note"_a = nb::none());
  module.def("list_maps", &maps_in, "file"_a);
  module.def("attributes", &attributes_of, "uri"_a);
}

}  // namespace ziggurat::python
