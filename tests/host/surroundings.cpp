#include <dirent.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include "host.hpp"

extern char** environ;

namespace ziggurat::host {
namespace {

namespace fs = std::filesystem;

std::string handler_of(int signal_number) {
  struct sigaction action {};
  if (::sigaction(signal_number, nullptr, &action) != 0) return "none";
  return std::to_string(reinterpret_cast<std::uintptr_t>(action.sa_handler)) + " flags " +
         std::to_string(action.sa_flags);
}

std::string blocked() {
  sigset_t set;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &set);
  std::string bits;
  for (int number = 1; number < 65; ++number) bits += ::sigismember(&set, number) > 0 ? '1' : '0';
  return bits;
}

// The descriptor that lists the folder is not among them.
std::string open_descriptors() {
  std::set<std::string> all;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const fs::path target = fs::read_symlink(entry.path(), gone);
    if (!gone && target.string().find("/proc/") != 0) {
      all.insert(entry.path().filename().string() + " " + target.string());
    }
  }
  std::string text;
  for (const std::string& one : all) text += one + "; ";
  return text;
}

std::string all_variables() {
  std::string text;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    text += std::string(*variable) + "\n";
  }
  return text;
}

bool any_child() { return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

}  // namespace

Surroundings look_around() {
  Surroundings now;
  for (int number = 1; number < 65; ++number) {
    now.signal_handlers[static_cast<std::size_t>(number)] = handler_of(number);
  }
  now.blocked_signals = blocked();
  now.folder = fs::current_path();
  now.environment = all_variables();
  now.descriptors = open_descriptors();
  now.umask = ::umask(0);
  ::umask(now.umask);
  now.has_children = any_child();
  H5E_auto2_t handler = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &handler, &data);
  now.hdf5_handler = reinterpret_cast<const void*>(handler);
  now.hdf5_handler_data = data;
  return now;
}

std::string differences(const Surroundings& before, const Surroundings& after) {
  std::string text;
  const auto compare = [&](const char* what, const auto& a, const auto& b) {
    if (a != b) text += std::string(what) + " changed\n";
  };
  for (std::size_t i = 0; i < before.signal_handlers.size(); ++i) {
    compare(("handler of signal " + std::to_string(i)).c_str(), before.signal_handlers[i],
            after.signal_handlers[i]);
  }
  compare("blocked signals", before.blocked_signals, after.blocked_signals);
  compare("current folder", before.folder, after.folder);
  compare("environment", before.environment, after.environment);
  compare("umask", before.umask, after.umask);
  compare("HDF5 error handler", before.hdf5_handler, after.hdf5_handler);
  compare("HDF5 error handler's data", before.hdf5_handler_data, after.hdf5_handler_data);
  if (after.has_children) text += "a child is left\n";
  if (before.descriptors != after.descriptors) {
    text += "descriptors: " + before.descriptors + "-> " + after.descriptors + "\n";
  }
  return text;
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace ziggurat::host
