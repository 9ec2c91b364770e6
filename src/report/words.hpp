// Numbers as people like to read them, and texts as HTML wants them.
// Thread rules: free functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ziggurat/report.hpp"

namespace ziggurat::report {

// 10000 -> "10 kb", 1500000 -> "1.5 Mb", 500 -> "500 bp".
[[nodiscard]] std::string bp_text(double bp);
// The same, or "bins of varying width".
[[nodiscard]] std::string resolution_text(const std::optional<std::int64_t>& bin_size);
// 1234567 -> "1,234,567". Requires: a whole number.
[[nodiscard]] std::string whole_text(double number);
// 1234567 -> "1.23 million"; below a million as whole_text.
[[nodiscard]] std::string large_text(double number);
// Three significant digits: 0.00123, 12.3, 1.2e-05.
[[nodiscard]] std::string short_text(double number);
// 0.1234 -> "12.3 %".
[[nodiscard]] std::string percent_text(double share);
// "1 level", "3 levels".
[[nodiscard]] std::string counted(std::int64_t n, std::string_view thing);

// "few pixels (min-nnz)".
[[nodiscard]] std::string rule_text(LeftOutBy rule);

// With the five characters that mean something in HTML and SVG written out.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace ziggurat::report
