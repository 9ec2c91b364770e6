// Reading the counts of a segment, whatever their code: the one place that knows the codes.
//
// visit_counts hands its function an object that maps an index within the segment to the value as
// double. It is a template so that the loop over pixels is compiled for each code and the choice
// is made once a segment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "balance/pixel_store.hpp"

namespace ziggurat::balance {

// The largest value of a narrow code says: look in the list of escapes.
template <typename Code>
constexpr Code kEscapeCode = std::numeric_limits<Code>::max();

template <typename NarrowCode>
class NarrowCounts {
 public:
  using Code = NarrowCode;

  explicit NarrowCounts(const Segment& segment)
      : codes_(reinterpret_cast<const Code*>(segment.counts.data())), escapes_(segment.escapes) {}

  double operator()(std::uint32_t index) const {
    const Code code = codes_[index];
    if (code == kEscapeCode<Code>) [[unlikely]]
      return escaped(index);
    return static_cast<double>(code);
  }

 private:
  [[gnu::noinline]] double escaped(std::uint32_t index) const {
    return std::lower_bound(escapes_.begin(), escapes_.end(), index,
                            [](const Escape& e, std::uint32_t i) { return e.index < i; })
        ->value;
  }

  const Code* codes_;
  std::span<const Escape> escapes_;
};

template <typename Float>
class WideCounts {
 public:
  using Code = Float;

  explicit WideCounts(const Segment& segment)
      : values_(reinterpret_cast<const Float*>(segment.counts.data())) {}

  double operator()(std::uint32_t index) const { return static_cast<double>(values_[index]); }

 private:
  const Float* values_;
};

template <typename Function>
void visit_counts(const Segment& segment, Function&& function) {
  switch (segment.code) {
    case CountCode::u8:
      return function(NarrowCounts<std::uint8_t>(segment));
    case CountCode::u16:
      return function(NarrowCounts<std::uint16_t>(segment));
    case CountCode::f32:
      return function(WideCounts<float>(segment));
    case CountCode::f64:
      return function(WideCounts<double>(segment));
  }
}

}  // namespace ziggurat::balance
