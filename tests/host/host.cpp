// host manners PROGRAM MAP   every way a call can end, with the surroundings compared after each
// host soak PROGRAM MAP N    N small jobs in one process: neither memory nor descriptors grow
//
// PROGRAM runs the readers. Works in the current folder, which should be empty. Ends with 0 and a
// line, or with 1 and what was wrong.
#include "host.hpp"

#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ziggurat/balance.hpp"
#include "ziggurat/build.hpp"
#include "ziggurat/error.hpp"
#include "ziggurat/inspect.hpp"
#include "ziggurat/verify.hpp"

namespace {

namespace fs = std::filesystem;
using namespace ziggurat;
using host::Surroundings;

[[noreturn]] void complain(const std::string& text) {
  // The library's prints would go to the same place, so ours are told apart by the exit code.
  std::fprintf(stderr, "host: %s\n", text.c_str());
  std::_Exit(1);
}

void demand(bool kept, const std::string& text) {
  if (!kept) complain(text);
}

struct Host {
  std::string program;
  std::string map;
};

ZoomifyRequest zoomify_request(const Host& host, const std::string& output) {
  ZoomifyRequest request;
  request.sources = {host.map};
  request.output = output;
  request.resolutions = "100000,500000";
  request.settings.processes = 2;
  request.settings.reader_program = host.program;
  return request;
}

struct Silent : Observer {};

struct Cancelling : Observer {
  bool cancelled() override { return true; }
};

struct Throwing : Observer {
  void progress(const Progress&) override { throw std::out_of_range("the host's own"); }
};

// ----- what the host has of its own before the library comes

std::atomic<int> foreign_signals{0};
extern "C" void count_signal(int) { ++foreign_signals; }
herr_t hosts_hdf5_handler(hid_t, void* count) {
  ++*static_cast<int*>(count);
  return 0;
}

class OwnThings {
 public:
  OwnThings() {
    for (const int number : {SIGUSR1, SIGCHLD, SIGPIPE, SIGTERM, SIGINT, SIGALRM}) {
      ::signal(number, count_signal);
    }
    H5Eset_auto2(H5E_DEFAULT, hosts_hdf5_handler, &hdf5_errors_);
    file_ = H5Fcreate("own.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    group_ = H5Gcreate2(file_, "kept", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    // Without close-on-exec, as programs have them.
    descriptor_ = ::open("own.txt", O_RDWR | O_CREAT, 0644);
    ::setenv("HDF5_USE_FILE_LOCKING", "TRUE", 1);
  }

  // The host's file is still open and can be written; its handler still hears of its errors.
  void check() {
    const int before = hdf5_errors_;
    demand(H5Gopen2(file_, "missing", H5P_DEFAULT) < 0 && hdf5_errors_ > before,
           "the host's HDF5 errors are no longer reported to it");
    const hid_t made = H5Gcreate2(group_, ("g" + std::to_string(++n_groups_)).c_str(), H5P_DEFAULT,
                                  H5P_DEFAULT, H5P_DEFAULT);
    demand(made >= 0 && H5Gclose(made) >= 0 && H5Fflush(file_, H5F_SCOPE_GLOBAL) >= 0,
           "the host's own HDF5 file cannot be written any more");
    demand(::write(descriptor_, "x", 1) == 1, "the host's descriptor was closed");
  }

 private:
  hid_t file_ = -1;
  hid_t group_ = -1;
  int descriptor_ = -1;
  int hdf5_errors_ = 0;
  int n_groups_ = 0;
};

// ----- standard output and error are the host's: nothing may appear there

class Muted {
 public:
  Muted() {
    std::fflush(nullptr);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) kept_.push_back(::dup(stream));
    const int file = ::open(kFile, O_RDWR | O_CREAT | O_TRUNC, 0644);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  ~Muted() {
    std::fflush(nullptr);
    ::dup2(kept_[0], STDOUT_FILENO);
    ::dup2(kept_[1], STDERR_FILENO);
    for (const int stream : kept_) ::close(stream);
  }
  Muted(const Muted&) = delete;
  Muted& operator=(const Muted&) = delete;

  [[nodiscard]] static std::string printed() {
    std::ifstream file(kFile);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  static constexpr const char* kFile = "printed.txt";
  std::vector<int> kept_;
};

// ----- every way a call can end

struct Call {
  const char* name;
  std::optional<ErrorCode> code;  // none: it succeeds
  std::function<void()> make;
};

std::string truncated_copy(const std::string& map) {
  fs::copy_file(map, "cut.cool", fs::copy_options::overwrite_existing);
  fs::resize_file("cut.cool", fs::file_size("cut.cool") / 2);
  return "cut.cool";
}

std::string shell_script(const std::string& name, const std::string& commands) {
  std::ofstream(name) << "#!/bin/sh\n" << commands << "\n";
  fs::permissions(name, fs::perms::owner_all);
  return "./" + name;
}

std::vector<Call> calls(const Host& host) {
  static Silent silent;
  static Cancelling cancelling;
  const auto zoomify_of = [&host](auto change, Observer& observer) {
    ZoomifyRequest request = zoomify_request(host, "out.mcool");
    change(request);
    zoomify(request, observer);
  };
  const auto with = [zoomify_of](auto change) {
    return [zoomify_of, change] { zoomify_of(change, silent); };
  };
  return {
      {"zoomify", {}, with([](ZoomifyRequest&) {})},
      {"zoomify and balance", {}, with([](ZoomifyRequest& request) {
         request.balancing.emplace();
       })},
      {"verify",
       {},
       [&host] {
         VerifyRequest request;
         request.target = "out.mcool";
         request.settings.reader_program = host.program;
         demand(verify(request, silent).sound(), "the pyramid is not sound");
       }},
      {"balance again",
       {},
       [&host] {
         BalanceRequest request;
         request.target = "out.mcool::/resolutions/100000";
         request.force = true;
         request.settings.reader_program = host.program;
         balance_maps(request, silent);
       }},
      {"list", {}, [&host] { demand(list_maps("out.mcool", host.program).size() == 3, "levels"); }},
      {"missing source", ErrorCode::input,
       with([](ZoomifyRequest& request) { request.sources = {"missing.cool"}; })},
      {"damaged source", ErrorCode::input,
       with([&host](ZoomifyRequest& request) { request.sources = {truncated_copy(host.map)}; })},
      {"nonsense", ErrorCode::usage,
       with([](ZoomifyRequest& request) { request.resolutions = "7,x"; })},
      {"no such folder", ErrorCode::io,
       with([](ZoomifyRequest& request) { request.output = "missing/out.mcool"; })},
      {"no reader program", ErrorCode::worker,
       with([](ZoomifyRequest& request) { request.settings.reader_program = "./missing"; })},
      {"a reader that ends at once", ErrorCode::worker, with([](ZoomifyRequest& request) {
         request.settings.reader_program = shell_script("ending", "exit 3");
       })},
      {"a reader that is killed", ErrorCode::memory, with([](ZoomifyRequest& request) {
         request.settings.reader_program = shell_script("killed", "kill -9 $$");
       })},
      {"cancelled", ErrorCode::cancelled,
       [zoomify_of] { zoomify_of([](ZoomifyRequest&) {}, cancelling); }},
  };
}

std::optional<ErrorCode> outcome_of(const Call& call) {
  try {
    call.make();
    return std::nullopt;
  } catch (const Error& error) {
    return error.code();
  }
}

void check_call(const Call& call, OwnThings& own) {
  const Surroundings before = host::look_around();
  std::optional<ErrorCode> code;
  {
    const Muted muted;
    code = outcome_of(call);
  }
  const std::string name = call.name;
  demand(code == call.code,
         name + ": ended with code " + std::to_string(code ? static_cast<int>(*code) : 0));
  demand(Muted::printed().empty(), name + ": printed: " + Muted::printed());
  const std::string changed = host::differences(before, host::look_around());
  demand(changed.empty(), name + ": " + changed);
  own.check();
}

// An exception of the host's observer reaches the host as it is.
void check_throwing_observer(const Host& host) {
  Throwing throwing;
  bool caught = false;
  try {
    zoomify(zoomify_request(host, "thrown.mcool"), throwing);
  } catch (const std::out_of_range&) {
    caught = true;
  }
  demand(caught && !fs::exists("thrown.mcool"), "an observer's exception was lost");
}

// Readers see the standard streams and what was meant for them, not the host's files.
void check_inheritance(const Host& host) {
  const std::string wrapper = shell_script(
      "listing", "ls -l /proc/$$/fd >> inherited.txt\nexec '" + host.program + "' \"$@\"");
  ZoomifyRequest request = zoomify_request(host, "inherited.mcool");
  request.settings.reader_program = wrapper;
  Silent silent;
  zoomify(request, silent);
  std::ifstream file("inherited.txt");
  const std::string seen{std::istreambuf_iterator<char>(file), {}};
  demand(seen.find("socket:") != std::string::npos, "the wrapper saw nothing: " + seen);
  for (const char* own : {"own.h5", "own.txt", ".mcool"}) {
    demand(seen.find(own) == std::string::npos, std::string("readers inherit ") + own);
  }
}

// As the headers promise: several at once, for different outputs.
void check_threads(const Host& host) {
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      try {
        Silent silent;
        zoomify(zoomify_request(host, "thread" + std::to_string(i) + ".mcool"), silent);
      } catch (const std::exception&) {
        ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  demand(failed == 0, "jobs in several threads failed");
}

void manners(const Host& host) {
  OwnThings own;
  for (const Call& call : calls(host)) check_call(call, own);
  const Surroundings before = host::look_around();
  check_throwing_observer(host);
  check_inheritance(host);
  check_threads(host);
  const std::string changed = host::differences(before, host::look_around());
  demand(changed.empty(), "after all: " + changed);
  own.check();
}

// ----- many jobs in one process

void small_job(const Host& host, int i) {
  Silent silent;
  ZoomifyRequest request = zoomify_request(host, "soak.mcool");
  request.settings.processes = 1 + i % 3;
  request.settings.compression_level = 1 + i % 9;
  request.settings.slot_bytes = std::uint64_t{1} << (18 + i % 4);
  if (i % 4 == 1) request.balancing.emplace();
  if (i % 5 == 2) request.sources = {"missing.cool"};
  if (i % 7 == 3) request.resolutions = "B";
  try {
    zoomify(request, silent);
  } catch (const Error& error) {
    demand(error.code() == ErrorCode::input, error.what());
  }
}

void soak(const Host& host, int n) {
  // Allocators and libraries take what they need in the first jobs.
  const int warm_up = n / 4;
  constexpr std::size_t kMostGrowth = std::size_t{24} << 20;
  for (int i = 0; i < warm_up; ++i) small_job(host, i);
  const std::size_t bytes = host::resident_bytes();
  const Surroundings before = host::look_around();
  for (int i = warm_up; i < n; ++i) small_job(host, i);
  const std::string changed = host::differences(before, host::look_around());
  demand(changed.empty(), changed);
  const std::size_t now = host::resident_bytes();
  std::printf("%d jobs; resident: %zu kB after %d, %zu kB at the end\n", n, bytes >> 10, warm_up,
              now >> 10);
  demand(now < bytes + kMostGrowth, "memory grows from job to job");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 3 ? argv[1] : "";
  const Host host{argc > 3 ? fs::absolute(argv[2]) : "", argc > 3 ? fs::absolute(argv[3]) : ""};
  if (what == "manners") {
    manners(host);
  } else if (what == "soak" && argc > 4) {
    soak(host, std::atoi(argv[4]));
  } else {
    std::fprintf(stderr, "usage: host manners PROGRAM MAP | host soak PROGRAM MAP N\n");
    return 2;
  }
  std::printf("%s: ok\n", what.c_str());
  return 0;
}
