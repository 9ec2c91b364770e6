#include "proc/reader_program.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "base/check.hpp"
#include "proc/self_path.hpp"

namespace ziggurat::proc {
namespace {

bool reads = false;

// The folder of the shared library, or of the program, that holds this very code.
std::string folder_of_this_code() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&reader_program), &info) == 0 ||
      info.dli_fname == nullptr) {
    return "";
  }
  const std::string path = info.dli_fname;
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::vector<std::string> installed_places() {
  std::vector<std::string> places;
  const std::string folder = folder_of_this_code();
  if (!folder.empty()) places.push_back(folder + "/" ZIGGURAT_PROGRAM_FROM_LIBRARY);
  places.emplace_back(ZIGGURAT_INSTALLED_PROGRAM);
  return places;
}

}  // namespace

void this_program_reads() noexcept { reads = true; }

std::string reader_program(const std::string& requested) {
  if (!requested.empty()) return requested;
  if (reads) return self_path();
  if (const char* named = std::getenv("ZIGGURAT_READER"); named != nullptr && *named != '\0') {
    return named;
  }
  const std::vector<std::string> places = installed_places();
  for (const std::string& place : places) {
    if (access(place.c_str(), X_OK) == 0) return place;
  }
  fail(ErrorCode::input,
       "cannot find the program that reads maps: neither {} nor {} is there; install ziggurat, or "
       "name its program by reader_program or the environment variable ZIGGURAT_READER",
       places.front(), places.back());
}

}  // namespace ziggurat::proc
