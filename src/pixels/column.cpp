#include "pixels/column.hpp"

#include "base/check.hpp"

namespace ziggurat::pixels {

ColumnKind kind_of(NumberType type) noexcept {
  if (!is_float(type)) return ColumnKind::integer;
  return type == NumberType::f64 ? ColumnKind::double_precision : ColumnKind::single_precision;
}

ColumnKind kind_of(const Column& column) noexcept {
  return static_cast<ColumnKind>(column.index());
}

Column make_column(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::integer:
      return std::vector<std::int64_t>();
    case ColumnKind::single_precision:
      return std::vector<float>();
    case ColumnKind::double_precision:
      return std::vector<double>();
  }
  fail(ErrorCode::internal, "no such column kind: {}", static_cast<int>(kind));
}

std::int64_t size(const Column& column) noexcept {
  return std::visit([](const auto& values) { return static_cast<std::int64_t>(values.size()); },
                    column);
}

void clear(Column& column) noexcept {
  std::visit([](auto& values) { values.clear(); }, column);
}

void append(Column& target, const Column& source, std::int64_t first, std::int64_t end) {
  if (target.index() != source.index() || &target == &source) {
    fail(ErrorCode::internal, "append to a column: not another column of the same kind");
  }
  if (first < 0 || first > end || end > size(source)) {
    fail(ErrorCode::internal, "column range [{}, {}) is outside 0..{}", first, end, size(source));
  }
  std::visit(
      [&source, first, end]<typename Values>(Values& values) {
        const Values& from = std::get<Values>(source);
        values.insert(values.end(), from.begin() + first, from.begin() + end);
      },
      target);
}

void append(Column& target, const Column& source) { append(target, source, 0, size(source)); }

Column take(const Column& column, std::int64_t first, std::int64_t end) {
  Column part = make_column(kind_of(column));
  append(part, column, first, end);
  return part;
}

}  // namespace ziggurat::pixels
