#include "contacts/line_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/strings.hpp"

namespace ziggurat::contacts {

namespace {

constexpr std::size_t kLongestShown = 40;

// Text from a file in a message: cut short, and nothing that a terminal would act on.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kLongestShown)) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return text.size() > kLongestShown ? out + "..." : out;
}

// Digits with blanks around and a sign, as the readers of such tables take them.
bool parse_integer(std::string_view text, std::int64_t& value) {
  const char* at = text.data();
  const char* const end = at + text.size();
  // 18 digits cannot overflow; nothing else is met in practice.
  if (at != end && end - at <= 18) {
    std::int64_t sum = 0;
    while (at != end && *at >= '0' && *at <= '9') sum = 10 * sum + (*at++ - '0');
    if (at == end) {
      value = sum;
      return true;
    }
  }
  std::string_view trimmed = trim(text);
  if (trimmed.starts_with('+') && !trimmed.starts_with("+-")) trimmed.remove_prefix(1);
  const char* const last = trimmed.data() + trimmed.size();
  const auto [stop, error] = std::from_chars(trimmed.data(), last, value);
  return error == std::errc() && stop == last;
}

bool parse_real(std::string_view text, double& value) {
  std::string_view trimmed = trim(text);
  if (trimmed.starts_with('+') && !trimmed.starts_with("+-")) trimmed.remove_prefix(1);
  const char* const last = trimmed.data() + trimmed.size();
  const auto [stop, error] = std::from_chars(trimmed.data(), last, value);
  return error == std::errc() && stop == last;
}

}  // namespace

void LineTally::add(const LineTally& other) {
  taken += other.taken;
  unknown += other.unknown;
  outside += other.outside;
  mirrored += other.mirrored;
  past_end += other.past_end;
}

LineParser::LineParser(const Places& places, LineRules rules)
    : places_(places), rules_(std::move(rules)), keys_(places.n_bins()) {
  for (std::size_t end = 0; end < 2; ++end) {
    if (!rules_.bin_ids) columns_.push_back(rules_.chromosome[end]);
    columns_.push_back(rules_.position[end]);
  }
  for (const ValueColumn& value : rules_.values) columns_.push_back(value.column);
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  const auto place_of = [&](int column) {
    return static_cast<std::size_t>(std::lower_bound(columns_.begin(), columns_.end(), column) -
                                    columns_.begin());
  };
  for (std::size_t end = 0; end < 2; ++end) {
    if (!rules_.bin_ids) chromosome_.push_back(place_of(rules_.chromosome[end]));
    position_.push_back(place_of(rules_.position[end]));
  }
  for (const ValueColumn& value : rules_.values) values_.push_back(place_of(value.column));
}

// One block's parsing: what is remembered from line to line.
class LineParser::Line {
 public:
  Line(const LineParser& parser, ParsedBlock& out)
      : parser_(parser), rules_(parser.rules_), out_(out), fields_(parser.columns_.size()) {}

  // False when the line breaks a rule; the block then has its fault.
  bool take(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || is_comment(line)) return true;
    if (!find_columns(line)) {
      if (trim(line).empty()) return true;
      return refuse("there are only {} columns, separated by tabs, and column {} is needed",
                    1 + std::count(line.begin(), line.end(), '\t'), parser_.columns_.back() + 1);
    }
    if (!(rules_.bin_ids ? take_bins() : take_places())) return !out_.fault;
    return add_record();
  }

 private:
  template <typename... Args>
  bool refuse(fmt::format_string<Args...> text, Args&&... args) {
    out_.fault = fmt::format(text, std::forward<Args>(args)...);
    return false;
  }

  bool is_comment(std::string_view& line) const {
    if (rules_.comment.empty()) return false;
    if (line.starts_with(rules_.comment)) return true;
    if (rules_.comment_ends_line) line = line.substr(0, line.find(rules_.comment));
    return false;
  }

  bool find_columns(std::string_view line) {
    const char* at = line.data();
    const char* const end = at + line.size();
    int column = 0;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      for (const int wanted = parser_.columns_[f]; column < wanted; ++at) {
        if (at == end) return false;
        column += *at == '\t';
      }
      const char* const begin = at;
      while (at != end && *at != '\t') ++at;
      fields_[f] = {begin, static_cast<std::size_t>(at - begin)};
    }
    return true;
  }

  // False when the contact is dropped or refused.
  bool take_places() {
    std::array<std::int32_t, 2> chromosome{};
    for (std::size_t end = 0; end < 2; ++end) {
      chromosome[end] = chromosome_of(fields_[parser_.chromosome_[end]], end);
    }
    for (std::size_t end = 0; end < 2; ++end) {
      if (chromosome[end] != Places::kUnknown) continue;
      if (rules_.unknown == Misfit::refuse) {
        return refuse("chromosome '{}' is not among those of the map",
                      shown(fields_[parser_.chromosome_[end]]));
      }
      ++out_.tally.unknown;
      return false;
    }
    std::array<std::int64_t, 2> position{};
    bool past_end = false;
    for (std::size_t end = 0; end < 2; ++end) {
      if (!take_position(end, chromosome[end], position[end])) return false;
      past_end |= position[end] == parser_.places_.length(chromosome[end]);
    }
    if (std::pair(chromosome[0], position[0]) > std::pair(chromosome[1], position[1])) {
      if (!take_lower(chromosome, position)) return false;
    }
    for (std::size_t end = 0; end < 2; ++end) {
      bin_[end] = parser_.places_.bin(chromosome[end], position[end]);
      if (bin_[end] == Places::kNowhere) {
        return misplaced("position {} of {} lies in no bin", position[end] + rules_.first,
                         parser_.places_.name(chromosome[end]));
      }
    }
    out_.tally.past_end += past_end;
    return true;
  }

  // Neighbouring lines often share their chromosomes.
  std::int32_t chromosome_of(std::string_view name, std::size_t end) {
    if (name == last_name_[end]) return last_chromosome_[end];
    last_name_[end] = name;
    last_chromosome_[end] = parser_.places_.chromosome(name);
    return last_chromosome_[end];
  }

  bool take_position(std::size_t end, std::int32_t chromosome, std::int64_t& position) {
    const std::string_view text = fields_[parser_.position_[end]];
    if (!parse_integer(text, position)) {
      return refuse("column {} should be a position and is '{}'", rules_.position[end] + 1,
                    shown(text));
    }
    if (position < rules_.first) {
      return misplaced("position {} lies before the first, which is {}", position, rules_.first);
    }
    position -= rules_.first;
    if (position <= parser_.places_.length(chromosome)) return true;
    return misplaced("position {} lies beyond the end of {}, which is {} bp long",
                     position + rules_.first, parser_.places_.name(chromosome),
                     parser_.places_.length(chromosome));
  }

  template <typename... Args>
  bool misplaced(fmt::format_string<Args...> text, Args&&... args) {
    if (rules_.outside == Misfit::refuse) return refuse(text, std::forward<Args>(args)...);
    ++out_.tally.outside;
    return false;
  }

  template <typename... Ends>
  bool take_lower(Ends&... ends) {
    if (rules_.lower_half == LowerHalf::drop) {
      ++out_.tally.mirrored;
      return false;
    }
    if (rules_.lower_half == LowerHalf::reflect) (std::swap(ends[0], ends[1]), ...);
    return true;
  }

  bool take_bins() {
    for (std::size_t end = 0; end < 2; ++end) {
      const std::string_view text = fields_[parser_.position_[end]];
      std::int64_t bin = 0;
      if (!parse_integer(text, bin)) {
        return refuse("column {} should be a bin and is '{}'", rules_.position[end] + 1,
                      shown(text));
      }
      if (bin < rules_.first || bin - rules_.first >= parser_.places_.n_bins()) {
        return misplaced("bin {} is none of the map, whose bins are {} to {}", bin, rules_.first,
                         parser_.places_.n_bins() - 1 + rules_.first);
      }
      bin_[end] = static_cast<std::uint32_t>(bin - rules_.first);
    }
    return bin_[0] <= bin_[1] || take_lower(bin_);
  }

  bool add_record() {
    out_.records.push_back(parser_.keys_.key(bin_[0], bin_[1]));
    for (std::size_t v = 0; v < rules_.values.size(); ++v) {
      const ValueColumn& value = rules_.values[v];
      const std::string_view text = fields_[parser_.values_[v]];
      std::int64_t integer = 0;
      double real = 0;
      if (value.integer ? !parse_integer(text, integer) : !parse_real(text, real)) {
        return refuse("column {} should be {} for '{}' and is '{}'", value.column + 1,
                      value.integer ? "an integer" : "a number", value.name, shown(text));
      }
      if (!value.integer && !std::isfinite(real)) {
        return refuse("column {} gives '{}' the value '{}', which is not finite", value.column + 1,
                      value.name, shown(text));
      }
      out_.records.push_back(value.integer ? static_cast<std::uint64_t>(integer)
                                           : std::bit_cast<std::uint64_t>(real));
    }
    ++out_.tally.taken;
    return true;
  }

  const LineParser& parser_;
  const LineRules& rules_;
  ParsedBlock& out_;
  std::vector<std::string_view> fields_;
  std::array<std::uint32_t, 2> bin_{};
  std::array<std::string_view, 2> last_name_{};
  std::array<std::int32_t, 2> last_chromosome_{Places::kUnknown, Places::kUnknown};
};

void LineParser::parse(std::string_view text, ParsedBlock& out) const {
  out.records.clear();
  out.lines = 0;
  out.tally = {};
  out.fault.reset();
  Line line(*this, out);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    ++out.lines;
    if (!line.take(text.substr(0, end))) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace ziggurat::contacts
