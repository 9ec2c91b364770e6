// Reports of the library as dictionaries, whose keys are the names of the members.
#pragma once

#include <nanobind/nanobind.h>

#include "python/text.hpp"
#include "ziggurat/balancing.hpp"
#include "ziggurat/build.hpp"

namespace ziggurat::python {

[[nodiscard]] Record report_of(const BalanceOutcome& outcome);
[[nodiscard]] Record report_of(const BuildReport& report);

// A list of what report_of() makes of each.
template <typename Value, typename Convert>
nanobind::list list_of(const std::vector<Value>& values, Convert convert) {
  nanobind::list made;
  for (const Value& value : values) made.append(convert(value));
  return made;
}

}  // namespace ziggurat::python
