#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>

#include "python/binding.hpp"
#include "python/text.hpp"
#include "ziggurat/arrange.hpp"
#include "ziggurat/balance.hpp"
#include "ziggurat/build.hpp"
#include "ziggurat/compare.hpp"
#include "ziggurat/merge.hpp"
#include "ziggurat/verify.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ziggurat::python {
namespace {

// A member that holds a path, which may be anything that os.fspath() takes.
template <typename Request>
void bind_path(nb::class_<Request>& bound, const char* name, std::string Request::*member) {
  bound.def_prop_rw(
      name, [member](const Request& request) { return text_of(request.*member); },
      [member](Request& request, const nb::any& path) { request.*member = path_of(path); });
}

template <typename Request>
void bind_paths(nb::class_<Request>& bound, const char* name,
                std::vector<std::string> Request::*member) {
  bound.def_prop_rw(
      name, [member](const Request& request) { return texts_of(request.*member); },
      [member](Request& request, const nb::typed<nb::list, nb::any>& paths) {
        std::vector<std::string> taken;
        for (const nb::handle path : paths) taken.push_back(path_of(path));
        request.*member = std::move(taken);
      });
}

constexpr double kLongestWaitSeconds = 1e9;

// Waiting times are seconds in Python.
template <typename Request>
void bind_lock_timeout(nb::class_<Request>& bound) {
  bound.def_prop_rw(
      "lock_timeout",
      [](const Request& request) {
        return static_cast<double>(request.lock_timeout.count()) / 1e3;
      },
      [](Request& request, double seconds) {
        request.lock_timeout = std::chrono::milliseconds(
            static_cast<std::int64_t>(1e3 * std::min(std::max(seconds, 0.0), kLongestWaitSeconds)));
      });
}

void bind_enumerations(nb::module_& module) {
  nb::enum_<Duplicates>(module, "Duplicates")
      .value("refuse", Duplicates::refuse)
      .value("sum", Duplicates::sum);
  nb::enum_<NotFinite>(module, "NotFinite")
      .value("refuse", NotFinite::refuse)
      .value("skip", NotFinite::skip);
  nb::enum_<BalanceMethod>(module, "BalanceMethod")
      .value("ice", BalanceMethod::ice)
      .value("vc", BalanceMethod::vc)
      .value("vc_sqrt", BalanceMethod::vc_sqrt);
  nb::enum_<BalanceIteration>(module, "BalanceIteration")
      .value("plain", BalanceIteration::plain)
      .value("anderson", BalanceIteration::anderson);
  nb::enum_<ContactSet>(module, "ContactSet")
      .value("all", ContactSet::all)
      .value("cis_only", ContactSet::cis_only)
      .value("trans_only", ContactSet::trans_only);
  nb::enum_<ConvergencePolicy>(module, "ConvergencePolicy")
      .value("store_final", ConvergencePolicy::store_final)
      .value("store_nan", ConvergencePolicy::store_nan)
      .value("discard", ConvergencePolicy::discard)
      .value("error", ConvergencePolicy::error);
  nb::enum_<Placing>(module, "Placing")
      .value("move", Placing::move)
      .value("hard_link", Placing::hard_link)
      .value("soft_link", Placing::soft_link);
}

void bind_means(nb::module_& module) {
  nb::class_<Settings> settings(module, "Settings");
  settings.def(nb::init<>())
      .def_rw("processes", &Settings::processes)
      .def_rw("compression_level", &Settings::compression_level);
  bind_path(settings, "temporary_folder", &Settings::temporary_folder);
  nb::class_<SourceRules>(module, "SourceRules")
      .def(nb::init<>())
      .def_rw("fields", &SourceRules::fields)
      .def_rw("duplicates", &SourceRules::duplicates)
      .def_rw("not_finite", &SourceRules::not_finite);
}

void bind_balancing(nb::module_& module) {
  nb::class_<BalanceOptions> options(module, "BalanceOptions");
  options.def_rw("iteration", &BalanceOptions::iteration)
      .def_ro("method", &BalanceOptions::method)
      .def_rw("contacts", &BalanceOptions::contacts)
      .def_rw("ignore_diags", &BalanceOptions::ignore_diags)
      .def_rw("ignore_dist", &BalanceOptions::ignore_dist)
      .def_rw("mad_max", &BalanceOptions::mad_max)
      .def_rw("min_nnz", &BalanceOptions::min_nnz)
      .def_rw("min_count", &BalanceOptions::min_count)
      .def_rw("tol", &BalanceOptions::tol)
      .def_rw("max_iters", &BalanceOptions::max_iters)
      .def_rw("chunksize", &BalanceOptions::chunksize)
      .def_rw("name", &BalanceOptions::name)
      .def_rw("convergence_policy", &BalanceOptions::policy)
      .def_rw("allow_square", &BalanceOptions::allow_square);
  bind_path(options, "blacklist", &BalanceOptions::blacklist);
  module.def("balance_defaults", &balance_defaults, "method"_a);
  module.def("check_balance_options", &check_balance_options, "options"_a);
  nb::class_<ZoomifyBalancing>(module, "ZoomifyBalancing")
      .def(nb::init<>())
      .def_rw("options", &ZoomifyBalancing::options)
      .def_rw("of_level", &ZoomifyBalancing::of_level)
      .def_rw("left_out", &ZoomifyBalancing::left_out)
      .def_rw("keep_weights", &ZoomifyBalancing::keep_weights)
      .def_rw("store", &ZoomifyBalancing::store)
      .def_rw("processes", &ZoomifyBalancing::processes)
      .def_rw("memory_limit", &ZoomifyBalancing::memory_limit);
  nb::class_<BalanceRequest> request(module, "BalanceRequest");
  request.def(nb::init<>())
      .def_rw("options", &BalanceRequest::options)
      .def_rw("force", &BalanceRequest::force)
      .def_rw("store", &BalanceRequest::store)
      .def_rw("rules", &BalanceRequest::rules)
      .def_rw("memory_limit", &BalanceRequest::memory_limit)
      .def_rw("replace_link", &BalanceRequest::replace_link)
      .def_rw("settings", &BalanceRequest::settings);
  bind_path(request, "target", &BalanceRequest::target);
  bind_lock_timeout(request);
}

void bind_builds(nb::module_& module) {
  nb::class_<ZoomifyRequest> zoomify(module, "ZoomifyRequest");
  zoomify.def(nb::init<>())
      .def_rw("resolutions", &ZoomifyRequest::resolutions)
      .def_rw("legacy", &ZoomifyRequest::legacy)
      .def_rw("balancing", &ZoomifyRequest::balancing)
      .def_rw("rules", &ZoomifyRequest::rules)
      .def_rw("settings", &ZoomifyRequest::settings);
  bind_paths(zoomify, "sources", &ZoomifyRequest::sources);
  bind_path(zoomify, "output", &ZoomifyRequest::output);
  nb::class_<CoarsenRequest> coarsen(module, "CoarsenRequest");
  coarsen.def(nb::init<>())
      .def_rw("factor", &CoarsenRequest::factor)
      .def_rw("append", &CoarsenRequest::append)
      .def_rw("rules", &CoarsenRequest::rules)
      .def_rw("settings", &CoarsenRequest::settings);
  bind_path(coarsen, "source", &CoarsenRequest::source);
  bind_path(coarsen, "output", &CoarsenRequest::output);
  nb::class_<AssembleRequest> assemble(module, "AssembleRequest");
  assemble.def(nb::init<>()).def_rw("settings", &AssembleRequest::settings);
  bind_paths(assemble, "levels", &AssembleRequest::levels);
  bind_path(assemble, "output", &AssembleRequest::output);
  nb::class_<MergeRequest> merge(module, "MergeRequest");
  merge.def(nb::init<>())
      .def_rw("append", &MergeRequest::append)
      .def_rw("rules", &MergeRequest::rules)
      .def_rw("settings", &MergeRequest::settings);
  bind_paths(merge, "sources", &MergeRequest::sources);
  bind_path(merge, "output", &MergeRequest::output);
}

void bind_placing(nb::module_& module) {
  nb::class_<CopyRequest> copy(module, "CopyRequest");
  copy.def(nb::init<>())
      .def_rw("overwrite", &CopyRequest::overwrite)
      .def_rw("rules", &CopyRequest::rules)
      .def_rw("settings", &CopyRequest::settings);
  bind_path(copy, "source", &CopyRequest::source);
  bind_path(copy, "output", &CopyRequest::output);
  nb::class_<PlaceRequest> place(module, "PlaceRequest");
  place.def(nb::init<>())
      .def_rw("placing", &PlaceRequest::placing)
      .def_rw("overwrite", &PlaceRequest::overwrite);
  bind_path(place, "source", &PlaceRequest::source);
  bind_path(place, "target", &PlaceRequest::target);
  bind_lock_timeout(place);
}

}  // namespace

void bind_requests(nb::module_& module) {
  bind_enumerations(module);
  bind_means(module);
  bind_balancing(module);
  bind_builds(module);
  bind_placing(module);
}

}  // namespace ziggurat::python
