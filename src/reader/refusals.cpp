#include "reader/refusals.hpp"

#include <span>
#include <type_traits>

#include "base/check.hpp"
#include "pixels/value_tally.hpp"

namespace ziggurat::reader {

void refuse_fault(const std::string& label, const pixels::PixelFault& fault) {
  std::string advice;
  if (fault.kind == pixels::FaultKind::duplicate) {
    advice = "; with --duplicates sum, pixels given more than once are added up";
  }
  fail(ErrorCode::format, "{}: {}{}", label, pixels::describe(fault), advice);
}

void refuse_not_finite(const std::string& label, std::int64_t pixel, std::int64_t row,
                       std::int64_t column) {
  fail(ErrorCode::format,
       "{}/pixels/count: pixel {} (bin1_id {}, bin2_id {}) is not a finite number; with --nan skip "
       "such counts are left out of sums",
       label, pixel, row, column);
}

std::optional<std::int64_t> first_not_finite(const pixels::Column& values) {
  return std::visit(
      [](const auto& numbers) -> std::optional<std::int64_t> {
        using Number = typename std::decay_t<decltype(numbers)>::value_type;
        if constexpr (std::is_floating_point_v<Number>) {
          return pixels::first_not_finite(std::span<const Number>(numbers));
        }
        return std::nullopt;
      },
      values);
}

}  // namespace ziggurat::reader
