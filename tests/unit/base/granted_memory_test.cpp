#include "base/granted_memory.hpp"

#include <catch2/catch.hpp>

#include "fake_machine.hpp"

using namespace ziggurat;
using test::FakeMachine;

namespace {

constexpr std::int64_t kMiB = 1 << 20;

// -1 when nobody limits us.
std::int64_t granted(const FakeMachine& machine) {
  return granted_memory(machine.surroundings()).value_or(-1);
}

}  // namespace

TEST_CASE("where nobody says anything there is no limit") { CHECK(granted(FakeMachine()) == -1); }

TEST_CASE("this process was granted something, or has no limit") {
  CHECK(granted_memory().value_or(1) > 0);
}

TEST_CASE("what Slurm grants a node or each CPU, in MiB") {
  FakeMachine machine;
  machine.set("SLURM_MEM_PER_CPU", "2000");
  CHECK(granted(machine) == 2000 * kMiB);
  machine.set("SLURM_CPUS_ON_NODE", "4");
  CHECK(granted(machine) == 8000 * kMiB);
  machine.set("SLURM_MEM_PER_NODE", "3000");
  CHECK(granted(machine) == 3000 * kMiB);
}

TEST_CASE("what Galaxy grants, in MiB") {
  FakeMachine machine;
  machine.set("GALAXY_MEMORY_MB", "4096");
  CHECK(granted(machine) == 4096 * kMiB);
}

TEST_CASE("memory variables that are no positive integer are passed over") {
  FakeMachine machine;
  for (const char* nonsense : {"", "0", "-4", "all", "2.5"}) {
    INFO(nonsense);
    machine.set("SLURM_MEM_PER_NODE", nonsense);
    CHECK(granted(machine) == -1);
  }
}

TEST_CASE("cgroup v2: the least limit of our group and its ancestors") {
  FakeMachine machine;
  machine.put("proc/self/cgroup", "0::/slurm/job_1/step_0\n");
  machine.put("sys/fs/cgroup/slurm/job_1/step_0/memory.max", "max\n");
  CHECK(granted(machine) == -1);
  machine.put("sys/fs/cgroup/slurm/job_1/memory.max", "1073741824\n");
  CHECK(granted(machine) == 1024 * kMiB);
  machine.put("sys/fs/cgroup/memory.max", "536870912\n");
  CHECK(granted(machine) == 512 * kMiB);
}

TEST_CASE("cgroup v1: its own tree, in which the largest number means no limit") {
  FakeMachine machine;
  machine.put("proc/self/cgroup", "4:memory:/docker/abc\n3:cpu:/docker/abc\n0::/\n");
  machine.put("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
  machine.put("sys/fs/cgroup/cpu/docker/abc/memory.limit_in_bytes", "4096\n");
  CHECK(granted(machine) == -1);
  machine.put("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "268435456\n");
  CHECK(granted(machine) == 256 * kMiB);
}

TEST_CASE("the least of batch system and cgroup counts") {
  FakeMachine machine;
  machine.put("proc/self/cgroup", "0::/\n");
  machine.put("sys/fs/cgroup/memory.max", "1073741824\n");
  machine.set("SLURM_MEM_PER_NODE", "4000");
  CHECK(granted(machine) == 1024 * kMiB);
  machine.set("SLURM_MEM_PER_NODE", "500");
  CHECK(granted(machine) == 500 * kMiB);
}
