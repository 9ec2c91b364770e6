// The entry for libFuzzer: one program for each target, which is named when it is compiled.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "targets.hpp"

namespace {

const ziggurat::fuzz::Target& chosen() {
  for (const ziggurat::fuzz::Target& target : ziggurat::fuzz::targets()) {
    if (target.name == std::string_view(ZIGGURAT_FUZZ_TARGET)) return target;
  }
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ziggurat::fuzz::Target& target = chosen();
  ziggurat::fuzz::run(target, std::as_bytes(std::span(data, size)));
  return 0;
}
