#include "cli/yaml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <string_view>

namespace ziggurat::cli {

namespace {

constexpr std::size_t kWidth = 80;

// A text that a reader would take for something else than text when it stood there without quotes.
bool looks_like_a_value(const std::string& text) {
  static const std::regex pattern(
      "yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF|~|null|Null|NULL|"
      "<<|="
      "|[-+]?[0-9][0-9_]*\\.[0-9_]*(?:[eE][-+][0-9]+)?|\\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
      "|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\\.[0-9_]*|[-+]?\\.(?:inf|Inf|INF)|\\.(?:nan|NaN|NAN)"
      "|[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+"
      "|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+"
      "|[0-9]{4}-[0-9]{2}-[0-9]{2}"
      "|[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?(?:[Tt]|[ \\t]+)[0-9][0-9]?:[0-9]{2}:[0-9]{2}(?:\\.[0-9]*)?"
      "(?:[ \\t]*(?:Z|[-+][0-9][0-9]?(?::[0-9]{2})?))?");
  // The longest texts that mean something else are moments.
  return text.size() < 100 && std::regex_match(text, pattern);
}

enum class Style { plain, single_quoted, double_quoted };

Style style_of(const std::string& text) {
  if (text.empty()) return Style::single_quoted;
  const bool has_special = std::any_of(text.begin(), text.end(),
                                       [](char c) { return c != '\n' && (c < 0x20 || c > 0x7E); });
  bool blank_beside_break = false;
  bool indicator =
      text.starts_with("---") || text.starts_with("...") ||
      std::string_view("#,[]{}&*!|>'\"%@`").find(text.front()) != std::string_view::npos;
  const auto is_blank = [&](std::size_t i) {
    return i >= text.size() || text[i] == ' ' || text[i] == '\n';
  };
  if ((text.front() == '?' || text.front() == '-') && is_blank(1)) indicator = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':' && is_blank(i + 1)) indicator = true;
    if (text[i] == '#' && i > 0 && is_blank(i - 1)) indicator = true;
    if (text[i] == ' ' && i + 1 < text.size() && text[i + 1] == '\n') blank_beside_break = true;
  }
  if (has_special || blank_beside_break) return Style::double_quoted;
  const bool has_break = text.find('\n') != std::string::npos;
  if (indicator || has_break || text.front() == ' ' || text.back() == ' ' ||
      looks_like_a_value(text)) {
    return Style::single_quoted;
  }
  return Style::plain;
}

class Writer {
 public:
  void dict(const PyValue& value, std::size_t indent) {
    std::vector<const PyMember*> members;
    for (const PyMember& member : value.members) members.push_back(&member);
    std::sort(members.begin(), members.end(),
              [](const PyMember* a, const PyMember* b) { return a->key < b->key; });
    for (const PyMember* member : members) {
      begin_line(indent);
      scalar_text(member->key, indent, false);
      out_ += ':';
      node(member->value, indent, true);
    }
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void begin_line(std::size_t indent) {
    if (!fresh_) out_ += '\n';
    fresh_ = false;
    line_ = out_.size();
    out_.append(indent, ' ');
  }
  [[nodiscard]] std::size_t column() const { return out_.size() - line_; }

  // What follows a key or the dash of a list; `indent` is that of the collection it is in.
  void node(const PyValue& value, std::size_t indent, bool in_dict) {
    switch (value.kind) {
      case PyValue::Kind::dict:
        if (value.members.empty()) {
          out_ += " {}";
        } else if (in_dict) {
          dict(value, indent + 2);
        } else {
          dict_in_list(value, indent);
        }
        return;
      case PyValue::Kind::list:
        if (value.items.empty()) {
          out_ += " []";
          return;
        }
        list(value, in_dict ? indent : indent + 2, in_dict);
        return;
      default:
        out_ += ' ';
        scalar(value, indent);
    }
  }

  // Lists in dicts are not indented; the first item of a list in a list stands on its line.
  void list(const PyValue& value, std::size_t indent, bool on_lines_of_its_own) {
    bool first = true;
    for (const PyValue& item : value.items) {
      if (first && !on_lines_of_its_own) {
        out_ += ' ';
      } else {
        begin_line(indent);
      }
      first = false;
      out_ += '-';
      node(item, indent, false);
    }
  }

  void dict_in_list(const PyValue& value, std::size_t indent) {
    // The first member stands on the line of the dash: written apart and joined.
    Writer inner;
    inner.dict(value, indent + 2);
    out_ += ' ';
    out_ += std::string_view(inner.out_).substr(indent + 2);
  }

  void scalar(const PyValue& value, std::size_t indent) {
    switch (value.kind) {
      case PyValue::Kind::none:
        out_ += "null";
        return;
      case PyValue::Kind::truth:
        out_ += value.truth ? "true" : "false";
        return;
      case PyValue::Kind::integer:
      case PyValue::Kind::moment:
        out_ += value.text;
        return;
      case PyValue::Kind::real:
        out_ += real(value.real);
        return;
      default:
        scalar_text(value.text, indent, true);
    }
  }

  static std::string real(double number) {
    if (std::isnan(number)) return ".nan";
    if (std::isinf(number)) return number > 0 ? ".inf" : "-.inf";
    std::string text = py_float(number);
    const std::size_t exponent = text.find('e');
    if (exponent != std::string::npos && text.find('.') == std::string::npos) {
      text.insert(exponent, ".0");
    }
    return text;
  }

  void scalar_text(const std::string& text, std::size_t indent, bool fold) {
    switch (style_of(text)) {
      case Style::plain:
        return plain(text, indent, fold);
      case Style::single_quoted:
        return single_quoted(text, indent, fold);
      case Style::double_quoted:
        break;
    }
    double_quoted(text, indent, fold);
  }

  // A single blank past the width becomes the end of a line.
  void plain(const std::string& text, std::size_t indent, bool fold) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (fold && is_single_blank(text, i) && column() > kWidth) {
        begin_line(indent + 2);
      } else {
        out_ += text[i];
      }
    }
  }

  static bool is_single_blank(const std::string& text, std::size_t i) {
    return text[i] == ' ' && (i == 0 || text[i - 1] != ' ') && i + 1 < text.size() &&
           text[i + 1] != ' ';
  }

  void single_quoted(const std::string& text, std::size_t indent, bool fold) {
    out_ += '\'';
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (fold && i > 0 && is_single_blank(text, i) && column() > kWidth) {
        begin_line(indent + 2);
      } else if (text[i] == '\n') {
        // Breaks are doubled, and what follows is indented.
        if (i == 0 || text[i - 1] != '\n') out_ += '\n';
        out_ += '\n';
        line_ = out_.size();
        if (i + 1 == text.size() || text[i + 1] != '\n') out_.append(indent + 2, ' ');
      } else {
        if (text[i] == '\'') out_ += '\'';
        out_ += text[i];
      }
    }
    out_ += '\'';
  }

  static std::string escaped(char32_t c) {
    constexpr std::string_view kMeant("\0\a\b\t\n\v\f\r\x1b\"\\", 11);
    constexpr std::string_view kShort("0abtnvfre\"\\");
    if (c < 0x80) {
      const std::size_t at = kMeant.find(static_cast<char>(c));
      if (at != std::string_view::npos) return {'\\', kShort[at]};
    }
    if (c == 0x85) return "\\N";
    if (c == 0xA0) return "\\_";
    if (c == 0x2028) return "\\L";
    if (c == 0x2029) return "\\P";
    if (c >= 0x20 && c <= 0x7E) return std::string(1, static_cast<char>(c));
    if (c <= 0xFF) return fmt::format("\\x{:02X}", static_cast<unsigned>(c));
    if (c <= 0xFFFF) return fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    return fmt::format("\\U{:08X}", static_cast<unsigned>(c));
  }

  // Pieces are put out at each escape and blank; past the width a line ends with a backslash.
  void double_quoted(const std::string& text, std::size_t indent, bool fold) {
    out_ += '"';
    const std::vector<char32_t> all = characters(text);
    std::string piece;
    for (std::size_t i = 0; i <= all.size(); ++i) {
      const std::string next = i < all.size() ? escaped(all[i]) : "";
      const bool is_plain = next.size() == 1 && next != "\"" && next != "\\";
      if (!is_plain) {
        out_ += piece + next;
        piece.clear();
      }
      const bool at_blank = i < all.size() && all[i] == ' ';
      const bool may_fold = fold && i > 0 && i + 1 < all.size() && (at_blank || !is_plain);
      if (may_fold && column() + piece.size() > kWidth) {
        out_ += piece + '\\';
        piece.clear();
        begin_line(indent + 2);
        if (at_blank) out_ += '\\';
      }
      if (is_plain) piece += next;
    }
    out_ += '"';
  }

  std::string out_;
  std::size_t line_ = 0;
  bool fresh_ = true;
};

}  // namespace

std::string yaml_dump(const PyValue& dict) {
  if (dict.members.empty()) return "{}\n";
  Writer writer;
  writer.dict(dict, 0);
  return writer.take() + "\n";
}

}  // namespace ziggurat::cli
