// The whole library in one header.
#pragma once

#include "ziggurat/arrange.hpp"
#include "ziggurat/balance.hpp"
#include "ziggurat/build.hpp"
#include "ziggurat/compare.hpp"
#include "ziggurat/error.hpp"
#include "ziggurat/inspect.hpp"
#include "ziggurat/load.hpp"
#include "ziggurat/merge.hpp"
#include "ziggurat/observer.hpp"
#include "ziggurat/perf.hpp"
#include "ziggurat/plot.hpp"
#include "ziggurat/read.hpp"
#include "ziggurat/report.hpp"
#include "ziggurat/verify.hpp"
#include "ziggurat/version.hpp"
#include "ziggurat/write.hpp"
