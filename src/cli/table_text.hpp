// Tables as tab-separated text, to the byte as pandas writes them with the options that cooler
// gives it: integers plain, floats by a printf format, truth values as True and False, fields in
// quotes where csv needs them.
// Thread rules: one thread at a time.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ziggurat::cli {

// A number format as Python's % operator takes it, without the %: FLAGS WIDTH .PRECISION TYPE and
// any text after it, such as g, .12g or 03.2f.
class FloatFormat {
 public:
  // `missing` is what NaN is written as. Throws Error{usage} when the format is none of floats.
  FloatFormat(const std::string& format, const std::string& missing);

  void append(std::string& out, double value) const;

 private:
  std::string format_;  // for printf; unused with a plain notation
  std::string suffix_;
  std::string missing_;  // as a field
  bool plain_ = false;   // no flags and no width
  std::chars_format notation_ = std::chars_format::general;
  int precision_ = 6;
};

// Text as a field: in quotes, with quotes doubled, when it holds a tab, a quote or a line end.
[[nodiscard]] std::string csv_field(std::string_view text);

inline void append_integer(std::string& out, std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

struct TextColumn {
  std::string name;
  // Appends the field of a row.
  std::function<void(std::string& out, std::size_t row)> write;
};

void append_header(std::string& out, const std::vector<TextColumn>& columns);
void append_row(std::string& out, const std::vector<TextColumn>& columns, std::size_t row);

}  // namespace ziggurat::cli
