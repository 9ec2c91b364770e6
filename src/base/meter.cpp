#include "base/meter.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "base/check.hpp"

namespace ziggurat {

namespace {

thread_local Meter* current_meter = nullptr;

std::uint64_t nanoseconds(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(time.count());
}

std::uint64_t nanoseconds(const timeval& time) {
  return nanoseconds(std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec));
}

void add(const Moved& from, Moved& into) {
  into.items += from.items;
  into.pixels += from.pixels;
  into.bytes_in += from.bytes_in;
  into.bytes_out += from.bytes_out;
}

}  // namespace

const char* name(Stage stage) {
  constexpr std::array<const char*, kStages> kNames{
      "plan",      "await orders", "prove rows", "inflate", "check", "coarsen",
      "hand over", "take in",      "pack",       "encode",  "store", "tables",
      "iterate",   "weights",      "assemble",   "publish"};
  return kNames[static_cast<std::size_t>(stage)];
}

void merge(const StageTable& from, StageTable& into) {
  for (std::size_t i = 0; i < kStages; ++i) {
    add(from[i].moved, into[i].moved);
    into[i].busy_ns += from[i].busy_ns;
    into[i].waiting_ns += from[i].waiting_ns;
    into[i].waits += from[i].waits;
  }
}

Usage process_usage() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  constexpr std::uint64_t kKilobyte = 1024;  // what Linux counts in
  return {nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime),
          static_cast<std::uint64_t>(used.ru_maxrss) * kKilobyte};
}

Meter::Meter(Stage idle)
    : stage_(idle), begin_(Clock::now()), last_(begin_), before_(current_meter) {
  current_meter = this;
}

Meter::~Meter() { current_meter = before_; }

Meter* Meter::current() noexcept { return current_meter; }

void Meter::settle() {
  const Clock::time_point now = Clock::now();
  (waiting_ ? here().waiting_ns : here().busy_ns) += nanoseconds(now - last_);
  last_ = now;
}

const StageTable& Meter::stages() {
  settle();
  return stages_;
}

std::uint64_t Meter::age_ns() const { return nanoseconds(Clock::now() - begin_); }

void Meter::add(const Account& account) {
  const auto known = std::find_if(accounts_.begin(), accounts_.end(),
                                  [&](const Account& one) { return one.name == account.name; });
  if (known == accounts_.end()) {
    accounts_.push_back(account);
    return;
  }
  known->threads = std::max(known->threads, account.threads);
  merge(account.stages, known->stages);
  known->usage.cpu_ns += account.usage.cpu_ns;
  known->usage.peak_bytes = std::max(known->usage.peak_bytes, account.usage.peak_bytes);
}

StageScope::StageScope(Stage stage) : meter_(Meter::current()) {
  if (meter_ == nullptr) return;
  meter_->settle();
  before_ = meter_->stage_;
  meter_->stage_ = stage;
}

StageScope::~StageScope() {
  if (meter_ == nullptr) return;
  meter_->settle();
  meter_->stage_ = before_;
}

WaitScope::WaitScope() : meter_(Meter::current()) {
  if (meter_ == nullptr) return;
  ZIGGURAT_ASSERT(!meter_->waiting_);
  meter_->settle();
  meter_->waiting_ = true;
  ++meter_->here().waits;
}

WaitScope::~WaitScope() {
  if (meter_ == nullptr) return;
  meter_->settle();
  meter_->waiting_ = false;
}

void count(const Moved& moved) {
  if (Meter* meter = Meter::current()) add(moved, meter->here().moved);
}

}  // namespace ziggurat
