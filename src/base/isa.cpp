#include "base/isa.hpp"

namespace ziggurat {

std::vector<Isa> available_isas() {
  std::vector<Isa> isas{Isa::portable};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")) {
    isas.push_back(Isa::avx2);
  }
#endif
  return isas;
}

Isa best_isa() {
  static const Isa best = available_isas().back();
  return best;
}

}  // namespace ziggurat
