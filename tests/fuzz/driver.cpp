// fuzz_driver [--target NAME] [--runs N] [--seed S] [--corpus DIR] [--write-seeds DIR]
//
// Gives each target (or one) its seeds, the files in DIR/NAME, and N damaged ones (default 2000);
// the same seed means the same runs. An input that is a finding is left in the file
// finding-TARGET, and the program ends as the finding would have it: by a signal.
// --write-seeds lays the seeds down as files, for libFuzzer to begin from.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "mutator.hpp"
#include "targets.hpp"

namespace {

namespace fs = std::filesystem;
using namespace ziggurat::fuzz;

constexpr unsigned kSecondsForOneInput = 20;

// What a signal handler writes down: set before each run.
struct Current {
  const std::byte* data = nullptr;
  std::size_t size = 0;
  char file[64] = {};
};
Current current;

void keep_finding(int number) {
  if (FILE* file = std::fopen(current.file, "wb")) {
    std::fwrite(current.data, 1, current.size, file);
    std::fclose(file);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

void try_input(const Target& target, const Bytes& input) {
  current.data = input.data();
  current.size = input.size();
  ::alarm(kSecondsForOneInput);
  run(target, input);
  ::alarm(0);
}

std::vector<Bytes> with_files(std::vector<Bytes> inputs, const fs::path& folder) {
  if (!fs::is_directory(folder)) return inputs;
  std::vector<fs::path> files(fs::directory_iterator(folder), {});
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    std::ifstream in(path, std::ios::binary);
    Bytes bytes(fs::file_size(path));
    in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

void fuzz(const Target& target, const std::string& corpus, std::uint64_t seed, std::uint64_t runs) {
  std::snprintf(current.file, sizeof current.file, "finding-%s", target.name);
  const std::vector<Bytes> inputs = with_files(target.seeds(), fs::path(corpus) / target.name);
  for (const Bytes& input : inputs) try_input(target, input);
  Mutator mutator(seed);
  for (std::uint64_t i = 0; i < runs; ++i) try_input(target, mutator.next(inputs));
  std::printf("%s: %zu inputs, %llu damaged\n", target.name, inputs.size(),
              static_cast<unsigned long long>(runs));
}

void write_seeds(const Target& target, const fs::path& folder) {
  fs::create_directories(folder / target.name);
  std::size_t n = 0;
  for (const Bytes& seed : target.seeds()) {
    std::ofstream out(folder / target.name / ("seed-" + std::to_string(n++)), std::ios::binary);
    out.write(reinterpret_cast<const char*>(seed.data()),
              static_cast<std::streamsize>(seed.size()));
  }
}

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument("not a number: " + text);
  }
  return value;
}

int drive(std::map<std::string, std::string> options) {
  const std::string only = options["--target"];
  const std::uint64_t runs = number(options["--runs"]);
  const std::uint64_t seed = number(options["--seed"]);
  bool known = only.empty();
  for (const Target& target : targets()) {
    if (!only.empty() && only != target.name) continue;
    known = true;
    if (options["--write-seeds"].empty()) {
      fuzz(target, options["--corpus"], seed, runs);
    } else {
      write_seeds(target, options["--write-seeds"]);
    }
  }
  if (!known) throw std::invalid_argument("no target is called " + only);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options{{"--target", ""},
                                             {"--runs", "2000"},
                                             {"--seed", "1"},
                                             {"--corpus", ""},
                                             {"--write-seeds", ""}};
  for (int i = 1; i < argc; i += 2) {
    if (!options.contains(argv[i]) || i + 1 == argc) {
      std::fprintf(stderr, "fuzz_driver: unknown option or no value: %s\n", argv[i]);
      return 2;
    }
    options[argv[i]] = argv[i + 1];
  }
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) {
    ::signal(number, keep_finding);
  }
  try {
    return drive(options);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "fuzz_driver: %s\n", error.what());
    return 2;
  }
}
