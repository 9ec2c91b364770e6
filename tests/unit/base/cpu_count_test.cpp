#include "base/cpu_count.hpp"

#include <catch2/catch.hpp>

#include "fake_machine.hpp"

using namespace ziggurat;

namespace {

class FakeMachine : public test::FakeMachine {
 public:
  explicit FakeMachine(int affinity) : affinity_(affinity) {}
  [[nodiscard]] int processes() const { return default_processes(surroundings(), affinity_); }

 private:
  int affinity_;
};

}  // namespace

TEST_CASE("without variables and quotas the affinity mask decides") {
  CHECK(FakeMachine(6).processes() == 6);
  CHECK(FakeMachine(0).processes() == 1);
}

TEST_CASE("this process may run at least one process") { CHECK(default_processes() >= 1); }

TEST_CASE("what the batch system granted goes before what the machine has") {
  FakeMachine machine(2);
  machine.set("OMP_NUM_THREADS", "3");
  CHECK(machine.processes() == 3);
  machine.set("LSB_DJOB_NUMPROC", "4");
  CHECK(machine.processes() == 4);
  machine.set("NCPUS", "5");
  CHECK(machine.processes() == 5);
  machine.set("PBS_NP", "6");
  CHECK(machine.processes() == 6);
  machine.set("NSLOTS", "7");
  CHECK(machine.processes() == 7);
  machine.set("GALAXY_SLOTS", "8");
  CHECK(machine.processes() == 8);
  machine.set("SLURM_CPUS_PER_TASK", "1");
  CHECK(machine.processes() == 1);
}

TEST_CASE("variables that are no positive integer are passed over") {
  FakeMachine machine(2);
  for (const char* nonsense : {"", "0", "-4", "many", "2.5", "99999999999"}) {
    INFO(nonsense);
    machine.set("SLURM_CPUS_PER_TASK", nonsense);
    CHECK(machine.processes() == 2);
  }
  machine.set("NSLOTS", " 9 ");
  CHECK(machine.processes() == 9);
}

TEST_CASE("of nested thread counts the outermost is taken") {
  FakeMachine machine(2);
  machine.set("OMP_NUM_THREADS", "5,2");
  CHECK(machine.processes() == 5);
}

TEST_CASE("cgroup v2 quota of our own group") {
  FakeMachine machine(16);
  machine.put("proc/self/cgroup", "0::/slurm/job_1\n");
  machine.put("sys/fs/cgroup/slurm/job_1/cpu.max", "400000 100000\n");
  CHECK(machine.processes() == 4);
  machine.put("sys/fs/cgroup/slurm/job_1/cpu.max", "max 100000\n");
  CHECK(machine.processes() == 16);
}

TEST_CASE("cgroup v2 quota of an ancestor binds too") {
  FakeMachine machine(16);
  machine.put("proc/self/cgroup", "0::/slurm/job_1/step_0\n");
  machine.put("sys/fs/cgroup/slurm/job_1/step_0/cpu.max", "800000 100000\n");
  machine.put("sys/fs/cgroup/slurm/job_1/cpu.max", "300000 100000\n");
  CHECK(machine.processes() == 3);
}

TEST_CASE("inside a container the quota stands at the mount") {
  FakeMachine machine(16);
  machine.put("proc/self/cgroup", "0::/kubepods/pod77\n");
  machine.put("sys/fs/cgroup/cpu.max", "200000 100000\n");
  CHECK(machine.processes() == 2);
}

TEST_CASE("part of a CPU is rounded up and never to none") {
  FakeMachine machine(16);
  machine.put("proc/self/cgroup", "0::/\n");
  machine.put("sys/fs/cgroup/cpu.max", "150000 100000\n");
  CHECK(machine.processes() == 2);
  machine.put("sys/fs/cgroup/cpu.max", "5000 100000\n");
  CHECK(machine.processes() == 1);
}

TEST_CASE("a quota beyond the mask does not add CPUs") {
  FakeMachine machine(2);
  machine.put("proc/self/cgroup", "0::/\n");
  machine.put("sys/fs/cgroup/cpu.max", "99999999999 1\n");
  CHECK(machine.processes() == 2);
}

TEST_CASE("cgroup v1 quota, with the controllers named in either way") {
  FakeMachine machine(16);
  machine.put("proc/self/cgroup",
              "12:cpuset:/x\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/\n0::/\n");
  machine.put("sys/fs/cgroup/cpuset/x/cpu.cfs_quota_us", "100000\n");
  machine.put("sys/fs/cgroup/cpuset/x/cpu.cfs_period_us", "100000\n");
  CHECK(machine.processes() == 16);
  machine.put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "500000\n");
  machine.put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  CHECK(machine.processes() == 5);
  machine.put("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "150000\n");
  machine.put("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "50000\n");
  CHECK(machine.processes() == 3);
}

TEST_CASE("cgroup v1 without a quota says -1") {
  FakeMachine machine(16);
  machine.put("proc/self/cgroup", "4:cpu:/\n");
  machine.put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  machine.put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  CHECK(machine.processes() == 16);
}

TEST_CASE("nonsense in cgroup files is passed over") {
  FakeMachine machine(16);
  machine.put("proc/self/cgroup", "\nno colons\n:\n0:\n0::\n7:cpu\n");
  machine.put("sys/fs/cgroup/cpu.max", "lots\n");
  CHECK(machine.processes() == 16);
}
