#include "base/meter.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <thread>

namespace ziggurat {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kNap = 3'000'000;  // ns

void nap() { std::this_thread::sleep_for(std::chrono::nanoseconds(kNap)); }

const StageCounts& at(const StageTable& table, Stage stage) {
  return table[static_cast<std::size_t>(stage)];
}

std::uint64_t all_time(const StageTable& table) {
  std::uint64_t sum = 0;
  for (const StageCounts& counts : table) sum += counts.busy_ns + counts.waiting_ns;
  return sum;
}

}  // namespace

TEST_CASE("Time goes to the innermost stage alone, and stages add up to the thread's life") {
  Meter meter(Stage::plan);
  nap();
  {
    const StageScope outer(Stage::pack);
    nap();
    {
      const StageScope inner(Stage::store);
      nap();
      const WaitScope waiting;
      nap();
    }
    nap();
  }
  const StageTable table = meter.stages();
  CHECK(at(table, Stage::plan).busy_ns >= kNap);
  CHECK(at(table, Stage::pack).busy_ns >= 2 * kNap);
  CHECK(at(table, Stage::store).busy_ns >= kNap);
  CHECK(at(table, Stage::store).waiting_ns >= kNap);
  CHECK(at(table, Stage::store).waits == 1);
  CHECK(at(table, Stage::pack).waiting_ns == 0);
  // Were time booked twice, the stages would come to more than the thread lived.
  CHECK(all_time(table) <= meter.age_ns());
  CHECK(all_time(table) >= 5 * kNap);
}

TEST_CASE("What moves is counted where the thread is") {
  Meter meter(Stage::plan);
  count({.items = 1});
  {
    const StageScope outer(Stage::pack);
    count({.pixels = 10, .bytes_in = 100});
    {
      const StageScope inner(Stage::store);
      count({.bytes_out = 7});
    }
    count({.pixels = 5});
  }
  CHECK(at(meter.stages(), Stage::plan).moved.items == 1);
  CHECK(at(meter.stages(), Stage::pack).moved.pixels == 15);
  CHECK(at(meter.stages(), Stage::pack).moved.bytes_in == 100);
  CHECK(at(meter.stages(), Stage::pack).moved.bytes_out == 0);
  CHECK(at(meter.stages(), Stage::store).moved.bytes_out == 7);
}

TEST_CASE("Without a meter nothing is counted, and a thread does not count for another") {
  CHECK(Meter::current() == nullptr);
  {
    const StageScope stage(Stage::pack);
    const WaitScope waiting;
    count({.items = 1});
  }
  Meter meter(Stage::plan);
  std::thread([] {
    CHECK(Meter::current() == nullptr);
    const StageScope stage(Stage::pack);
    count({.items = 1});
  }).join();
  CHECK(at(meter.stages(), Stage::pack).moved.items == 0);
  {
    Meter other(Stage::store);
    CHECK(Meter::current() == &other);
  }
  CHECK(Meter::current() == &meter);
}

TEST_CASE("Accounts of one name are added up, and their peaks compared") {
  Meter meter(Stage::plan);
  Account reader{"reader 1", 1, {}, {100, 5000}};
  reader.stages[0].moved.pixels = 3;
  reader.stages[1].busy_ns = 40;
  meter.add(reader);
  reader.usage = {10, 7000};
  meter.add(reader);
  meter.add({"encoders", 4, {}, {}});
  REQUIRE(meter.accounts().size() == 2);
  const Account& both = meter.accounts().front();
  CHECK(both.stages[0].moved.pixels == 6);
  CHECK(both.stages[1].busy_ns == 80);
  CHECK(both.usage.cpu_ns == 110);
  CHECK(both.usage.peak_bytes == 7000);
  CHECK(meter.accounts().back().threads == 4);
}

TEST_CASE("A process knows the memory and the time it used") {
  constexpr std::size_t kTouched = std::size_t{64} << 20;
  const std::vector<std::byte> memory(kTouched, std::byte{1});
  const Usage before = process_usage();
  CHECK(before.peak_bytes >= memory.size());
  CHECK(before.peak_bytes < std::uint64_t{1} << 40);
  const auto begin = std::chrono::steady_clock::now();
  while (process_usage().cpu_ns < before.cpu_ns + kNap) {
    REQUIRE(std::chrono::steady_clock::now() - begin < 10s);
  }
}

TEST_CASE("Every stage has a name of its own") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < kStages; ++i) names.insert(name(static_cast<Stage>(i)));
  CHECK(names.size() == kStages);
  CHECK(std::string(name(Stage::plan)) == "plan");
  CHECK(std::string(name(Stage::publish)) == "publish");
}

}  // namespace ziggurat
