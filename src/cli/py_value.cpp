#include "cli/py_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

namespace ziggurat::cli {

namespace {

// Deeper texts are left as they are.
constexpr int kDeepest = 200;

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : rest_(text) {}

  std::optional<PyValue> parse() {
    PyValue value;
    if (!take_value(value, 0)) return std::nullopt;
    skip_blanks();
    if (!rest_.empty()) return std::nullopt;
    return value;
  }

 private:
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size()));
  }

  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool take_value(PyValue& out, int depth) {
    if (depth > kDeepest) return false;
    skip_blanks();
    if (take("null")) return out = py_none(), true;
    if (take("true")) return out = py_truth(true), true;
    if (take("false")) return out = py_truth(false), true;
    if (take("NaN")) return out = py_real(std::nan("")), true;
    if (take("Infinity")) return out = py_real(HUGE_VAL), true;
    if (take("-Infinity")) return out = py_real(-HUGE_VAL), true;
    if (take("\"")) {
      out = py_text("");
      return take_text(out.text);
    }
    if (take("[")) return take_list(out, depth);
    if (take("{")) return take_dict(out, depth);
    return take_number(out);
  }

  bool take_list(PyValue& out, int depth) {
    out.kind = PyValue::Kind::list;
    skip_blanks();
    if (take("]")) return true;
    do {
      if (!take_value(out.items.emplace_back(), depth + 1)) return false;
      skip_blanks();
    } while (take(","));
    return take("]");
  }

  bool take_dict(PyValue& out, int depth) {
    out.kind = PyValue::Kind::dict;
    skip_blanks();
    if (take("}")) return true;
    do {
      skip_blanks();
      std::string key;
      if (!take("\"") || !take_text(key)) return false;
      skip_blanks();
      PyValue value;
      if (!take(":") || !take_value(value, depth + 1)) return false;
      const auto same = std::find_if(out.members.begin(), out.members.end(),
                                     [&](const PyMember& member) { return member.key == key; });
      if (same != out.members.end()) {
        same->value = std::move(value);
      } else {
        out.members.push_back({std::move(key), std::move(value)});
      }
      skip_blanks();
    } while (take(","));
    return take("}");
  }

  bool take_digits(std::string& out) {
    const std::size_t n = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    out += rest_.substr(0, n);
    rest_.remove_prefix(n);
    return n > 0;
  }

  bool take_number(PyValue& out) {
    std::string text;
    if (take("-")) text += '-';
    if (take("0")) {
      text += '0';
    } else if (!take_digits(text)) {
      return false;
    }
    bool is_real = false;
    const std::string_view whole = rest_;
    std::string fraction = ".";
    if (take(".")) {
      if (take_digits(fraction)) {
        text += fraction;
        is_real = true;
      } else {
        rest_ = whole;
      }
    }
    const std::string_view before_exponent = rest_;
    std::string exponent = "e";
    if (take("e") || take("E")) {
      if (take("-")) {
        exponent += '-';
      } else {
        take("+");
      }
      if (take_digits(exponent)) {
        text += exponent;
        is_real = true;
      } else {
        rest_ = before_exponent;
      }
    }
    if (!is_real) return out = py_integer(text == "-0" ? "0" : text), true;
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec == std::errc::result_out_of_range) {
      number = text.find("e-") != std::string::npos ? 0.0 : HUGE_VAL;
      if (text.front() == '-') number = -number;
    }
    return out = py_real(number), true;
  }

  std::optional<unsigned> take_unit() {
    unsigned unit = 0;
    if (rest_.size() < 4) return std::nullopt;
    const auto parsed = std::from_chars(rest_.data(), rest_.data() + 4, unit, 16);
    if (parsed.ptr != rest_.data() + 4) return std::nullopt;
    rest_.remove_prefix(4);
    return unit;
  }

  bool take_escape(std::string& out) {
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    constexpr std::string_view kShort = "\"\\/bfnrt";
    constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
    if (const std::size_t at = kShort.find(c); at != std::string_view::npos) {
      out += kMeant[at];
      return true;
    }
    if (c != 'u') return false;
    const std::optional<unsigned> unit = take_unit();
    if (!unit) return false;
    char32_t point = *unit;
    if (point >= 0xD800 && point < 0xDC00 && rest_.starts_with("\\u")) {
      const std::string_view before = rest_;
      rest_.remove_prefix(2);
      const std::optional<unsigned> low = take_unit();
      if (low && *low >= 0xDC00 && *low < 0xE000) {
        point = 0x10000 + ((point - 0xD800) << 10) + (*low - 0xDC00);
      } else {
        rest_ = before;
      }
    }
    append_utf8(out, point);
    return true;
  }

  static void append_utf8(std::string& out, char32_t point) {
    const auto tail = [&](int shift) {
      out += static_cast<char>(0x80U | (static_cast<unsigned>(point) >> shift & 0x3FU));
    };
    if (point < 0x80) {
      out += static_cast<char>(point);
    } else if (point < 0x800) {
      out += static_cast<char>(0xC0U | static_cast<unsigned>(point) >> 6U);
      tail(0);
    } else if (point < 0x10000) {
      out += static_cast<char>(0xE0U | static_cast<unsigned>(point) >> 12U);
      tail(6);
      tail(0);
    } else {
      out += static_cast<char>(0xF0U | static_cast<unsigned>(point) >> 18U);
      tail(12);
      tail(6);
      tail(0);
    }
  }

  bool take_text(std::string& out) {
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return true;
      if (c == '\\') {
        if (!take_escape(out)) return false;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        return false;
      } else {
        out += c;
      }
    }
    return false;
  }

  std::string_view rest_;
};

std::string json_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char32_t c : characters(text)) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\b':
        out += "\\b";
        break;
      default:
        if (c >= 0x20 && c < 0x7F) {
          out += static_cast<char>(c);
        } else if (c < 0x10000) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          const auto rest = static_cast<unsigned>(c) - 0x10000U;
          out +=
              fmt::format("\\u{:04x}\\u{:04x}", 0xD800U + (rest >> 10U), 0xDC00U + (rest & 0x3FFU));
        }
    }
  }
  return out + '"';
}

std::string json_real(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return py_float(number);
}

void dump(const PyValue& value, std::size_t depth, std::string& out) {
  const auto begin_line = [&](std::size_t at) { out += "\n" + std::string(4 * at, ' '); };
  switch (value.kind) {
    case PyValue::Kind::none:
      out += "null";
      return;
    case PyValue::Kind::truth:
      out += value.truth ? "true" : "false";
      return;
    case PyValue::Kind::integer:
      out += value.text;
      return;
    case PyValue::Kind::real:
      out += json_real(value.real);
      return;
    case PyValue::Kind::text:
    case PyValue::Kind::moment:
      out += json_quoted(value.text);
      return;
    case PyValue::Kind::list: {
      if (value.items.empty()) {
        out += "[]";
        return;
      }
      const char* separator = "[";
      for (const PyValue& item : value.items) {
        out += separator;
        begin_line(depth + 1);
        dump(item, depth + 1, out);
        separator = ",";
      }
      begin_line(depth);
      out += ']';
      return;
    }
    case PyValue::Kind::dict: {
      if (value.members.empty()) {
        out += "{}";
        return;
      }
      const char* separator = "{";
      for (const auto& [key, member] : value.members) {
        out += separator;
        begin_line(depth + 1);
        out += json_quoted(key) + ": ";
        dump(member, depth + 1, out);
        separator = ",";
      }
      begin_line(depth);
      out += '}';
      return;
    }
  }
}

std::string quoted_repr(const std::string& text) {
  const bool has_single = text.find('\'') != std::string::npos;
  const char quote = has_single && text.find('"') == std::string::npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == '\\' || c == quote) {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + quote;
}

}  // namespace

PyValue py_none() { return {}; }

PyValue py_truth(bool truth) {
  PyValue value;
  value.kind = PyValue::Kind::truth;
  value.truth = truth;
  return value;
}

PyValue py_integer(std::string digits) {
  PyValue value;
  value.kind = PyValue::Kind::integer;
  value.text = std::move(digits);
  return value;
}

PyValue py_real(double number) {
  PyValue value;
  value.kind = PyValue::Kind::real;
  value.real = number;
  return value;
}

PyValue py_text(std::string text) {
  PyValue value;
  value.kind = PyValue::Kind::text;
  value.text = std::move(text);
  return value;
}

std::optional<PyValue> parse_json(std::string_view text) { return JsonParser(text).parse(); }

PyValue info_value(const ObjectAttribute& attribute) {
  PyValue list;
  list.kind = PyValue::Kind::list;
  std::visit(
      [&](const auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        for (const Value& value : values) {
          if constexpr (std::is_same_v<Value, std::string>) {
            const auto parsed = attribute.scalar ? parse_json(value) : std::nullopt;
            list.items.push_back(parsed ? *parsed : py_text(value));
          } else if constexpr (std::is_same_v<Value, std::uint8_t>) {
            list.items.push_back(py_truth(value != 0));
          } else if constexpr (std::is_floating_point_v<Value>) {
            list.items.push_back(py_real(value));
          } else {
            list.items.push_back(py_integer(fmt::format("{}", value)));
          }
        }
      },
      attribute.values);
  // One element is taken for a number, whatever the shape.
  return list.items.size() == 1 ? list.items.front() : list;
}

std::string json_dump(const PyValue& value) {
  std::string out;
  dump(value, 0, out);
  return out;
}

std::string py_float(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  char digits[400];
  const double size = std::abs(number);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
  const auto end = std::to_chars(digits, digits + sizeof digits, number,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  std::string text(digits, end);
  if (plain && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string py_repr(const PyValue& value) {
  switch (value.kind) {
    case PyValue::Kind::none:
      return "None";
    case PyValue::Kind::truth:
      return value.truth ? "True" : "False";
    case PyValue::Kind::integer:
      return value.text;
    case PyValue::Kind::real:
      return py_float(value.real);
    case PyValue::Kind::text:
    case PyValue::Kind::moment:
      return quoted_repr(value.text);
    case PyValue::Kind::list: {
      std::string out = "[";
      for (const PyValue& item : value.items) {
        if (out.size() > 1) out += ", ";
        out += py_repr(item);
      }
      return out + "]";
    }
    case PyValue::Kind::dict:
      break;
  }
  std::string out = "{";
  for (const auto& [key, member] : value.members) {
    if (out.size() > 1) out += ", ";
    out += quoted_repr(key) + ": " + py_repr(member);
  }
  return out + "}";
}

std::string py_print(const PyValue& value) {
  return value.kind == PyValue::Kind::text ? value.text : py_repr(value);
}

std::vector<char32_t> characters(std::string_view text) {
  std::vector<char32_t> out;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t n = lead < 0xC2 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 1;
    char32_t point = n == 1 ? lead : lead & (0x7FU >> n);
    bool sound = at + n <= text.size();
    for (std::size_t i = 1; sound && i < n; ++i) {
      const auto next = static_cast<unsigned char>(text[at + i]);
      sound = (next & 0xC0U) == 0x80;
      point = point << 6U | (next & 0x3FU);
    }
    out.push_back(sound ? point : lead);
    at += sound ? n : 1;
  }
  return out;
}

}  // namespace ziggurat::cli
