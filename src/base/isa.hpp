// Which of a function's forms this processor runs. Every form gives the same result to the last
// bit; the portable one is always there. Tests go through all of them.
#pragma once

#include <vector>

namespace ziggurat {

// avx2 stands for AVX2 with the bit instructions of its time (BMI1, BMI2, POPCNT).
enum class Isa { portable, avx2 };

// What this processor runs, the best last. Thread rules: pure functions.
[[nodiscard]] std::vector<Isa> available_isas();
[[nodiscard]] Isa best_isa();

}  // namespace ziggurat
