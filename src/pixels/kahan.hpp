// Compensated summation as a pandas group-by does it, one value at a time.
//
// A level's float sums are promised to be those of cooler, bit for bit, and cooler's are pandas'.
// So the operations and their order are fixed: they run in T itself (float32 sums never touch
// double), and a compensation that has become NaN, which is what an infinity leaves, is dropped so
// that the infinity survives. This holds only without fused or re-associated arithmetic: compile
// with -ffp-contract=off and without -ffast-math.
#pragma once

namespace ziggurat::pixels {

template <typename T>
struct KahanSum {
  T sum = T(0);
  T compensation = T(0);

  // Adds value; the caller skips NaN.
  void add(T value) noexcept {
    const T corrected = value - compensation;
    const T next = sum + corrected;
    compensation = (next - sum) - corrected;
    if (compensation != compensation) compensation = T(0);
    sum = next;
  }
};

}  // namespace ziggurat::pixels
