// A program that uses the library as a guest, and looks after each call at what a guest must leave
// alone.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace ziggurat::host {

// What belongs to the process and not to a library in it.
struct Surroundings {
  std::array<std::string, 65> signal_handlers;  // by number
  std::string blocked_signals;
  std::string folder;
  std::string environment;
  std::string descriptors;  // number and target of each
  unsigned umask = 0;
  bool has_children = false;
  const void* hdf5_handler = nullptr;
  const void* hdf5_handler_data = nullptr;
};

[[nodiscard]] Surroundings look_around();

// One line for each thing that differs; empty when none does.
[[nodiscard]] std::string differences(const Surroundings& before, const Surroundings& after);

[[nodiscard]] std::size_t resident_bytes();

}  // namespace ziggurat::host
