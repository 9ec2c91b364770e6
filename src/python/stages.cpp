#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/arrays.hpp"
#include "python/binding.hpp"
#include "python/call.hpp"
#include "python/reports.hpp"
#include "python/text.hpp"
#include "ziggurat/arrange.hpp"
#include "ziggurat/balance.hpp"
#include "ziggurat/build.hpp"
#include "ziggurat/merge.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ziggurat::python {

Record report_of(const BalanceOutcome& outcome) {
  nb::dict made;
  made["group"] = text_of(outcome.group);
  made["name"] = outcome.name;
  made["weights"] = array_of(outcome.weights);
  made["scale"] = array_of(outcome.scale);
  made["var"] = array_of(outcome.var);
  made["converged"] = nb::cast(outcome.converged);
  made["iterations"] = outcome.iterations;
  made["ignored_diags"] = outcome.ignored_diags;
  made["masked_min_nnz"] = outcome.masked_min_nnz;
  made["masked_min_count"] = outcome.masked_min_count;
  made["masked_mad_max"] = outcome.masked_mad_max;
  made["masked_blacklist"] = outcome.masked_blacklist;
  made["stop"] = outcome.stop;
  made["stored"] = outcome.stored;
  return made;
}

namespace {

nb::dict level_of(const LevelReport& level) {
  nb::dict made;
  made["resolution"] = level.resolution;
  made["group"] = text_of(level.group);
  made["made_from"] = text_of(level.made_from);
  made["factor"] = level.factor;
  made["n_bins"] = level.n_bins;
  made["n_pixels"] = level.n_pixels;
  made["count_type"] = level.count_type;
  made["sum"] = level.sum;
  made["bytes"] = level.bytes;
  made["balance"] = level.balance ? nb::object(report_of(*level.balance)) : nb::none();
  return made;
}

// A stage as a Python function of (request, progress, note).
template <typename Request, typename Report>
void bind_stage(nb::module_& module, const char* name, Report (*stage)(const Request&, Observer&)) {
  module.def(
      name,
      [stage](const Request& request, const nb::object& progress, const nb::object& note) {
        PythonObserver observer(progress, note);
        return report_of(
            call_freely(observer, [&](Observer& listening) { return stage(request, listening); }));
      },
      "request"_a, "progress"_a = nb::none(), "note"_a = nb::none());
}

Records balance(const BalanceRequest& request, const nb::object& progress, const nb::object& note) {
  PythonObserver observer(progress, note);
  const std::vector<BalanceOutcome> outcomes =
      call_freely(observer, [&](Observer& listening) { return balance_maps(request, listening); });
  return list_of(outcomes, [](const BalanceOutcome& outcome) { return report_of(outcome); });
}

void place(const PlaceRequest& request) {
  const nb::gil_scoped_release free;
  place_map(request);
}

nb::typed<nb::dict, nb::str, bool> balanced(const nb::object& target, const std::string& name) {
  const std::string path = path_of(target);
  PythonObserver observer;
  const std::vector<WeightCheck> checks =
      call_freely(observer, [&](Observer&) { return check_weights(path, name); });
  nb::dict made;
  for (const WeightCheck& check : checks) made[text_of(check.group)] = check.balanced;
  return made;
}

}  // namespace

Record report_of(const BuildReport& report) {
  nb::dict made;
  made["output"] = text_of(report.output);
  made["levels"] = list_of(report.levels, level_of);
  made["bytes"] = report.bytes;
  made["memory_bytes"] = report.memory_bytes;
  made["processes"] = report.processes;
  return made;
}

void bind_stages(nb::module_& module) {
  bind_stage(module, "zoomify", &zoomify);
  bind_stage(module, "plan_zoomify", &plan_zoomify);
  bind_stage(module, "coarsen", &coarsen_map);
  bind_stage(module, "assemble", &assemble);
  bind_stage(module, "merge", &merge);
  bind_stage(module, "copy", &copy_map);
  module.def("balance", &balance, "request"_a, "progress"_a = nb::none(), "note"_a = nb::none());
  module.def("balanced", &balanced, "target"_a, "name"_a);
  module.def("place", &place, "request"_a);
}

}  // namespace ziggurat::python
