// The bin1_id column of a pixel table in run-length form: pixels are sorted by row, so a row's
// pixels are one run and the column is never needed element by element.
#pragma once

#include <cstdint>

namespace ziggurat {

// n consecutive pixels of matrix row `row`; n may be 0.
struct RowRun {
  std::uint32_t row = 0;
  std::uint32_t n = 0;

  friend bool operator==(const RowRun&, const RowRun&) = default;
};

}  // namespace ziggurat
