// Two maps side by side: axes first, for without equal bins nothing else means the same; then
// attributes, columns, and the pixels, whose sorted streams are walked in step.
#include "ziggurat/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/check.hpp"
#include "genome/uri.hpp"
#include "ziggurat/inspect.hpp"
#include "ziggurat/read.hpp"

namespace ziggurat {

namespace {

// Attributes that tell when and by what a map was written, not what is in it.
const std::set<std::string> kOfWriting{"creation-date", "format-url", "generated-by", "id",
                                       "library-version"};

bool are_equal(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

template <typename Value>
bool are_equal(const Value& a, const Value& b, double tolerance) {
  if constexpr (std::is_arithmetic_v<Value>) {
    // Integers beyond 2^53 are the same only when they are the same.
    return a == b ||
           (tolerance > 0 && are_equal(static_cast<double>(a), static_cast<double>(b), tolerance));
  }
  return a == b;
}

// Counts values that differ and keeps the largest difference and the first place.
class Tally {
 public:
  explicit Tally(double tolerance) : tolerance_(tolerance) {}

  // `place` says where, when it is the first.
  template <typename Value, typename Place>
  void compare(const Value& a, const Value& b, Place place) {
    if (are_equal(a, b, tolerance_)) return;
    if (n_++ == 0) first_ = fmt::format("{}: {} and {}", place(), a, b);
    if constexpr (std::is_arithmetic_v<Value>) {
      const double distance = std::abs(static_cast<double>(a) - static_cast<double>(b));
      if (!std::isnan(distance)) largest_ = std::max(largest_.value_or(0), distance);
    }
  }

  [[nodiscard]] std::int64_t n() const { return n_; }
  [[nodiscard]] const std::string& first() const { return first_; }
  [[nodiscard]] std::optional<double> largest() const { return largest_; }
  [[nodiscard]] std::string largest_text() const {
    return largest_ ? fmt::format(", by at most {}", *largest_) : "";
  }

 private:
  double tolerance_;
  std::int64_t n_ = 0;
  std::string first_;
  std::optional<double> largest_;
};

// A stream of pixels, one at a time.
class PixelWalk {
 public:
  explicit PixelWalk(PixelStream stream) : stream_(std::move(stream)) { load(); }

  [[nodiscard]] bool at_end() const { return ended_; }
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> cell() const {
    return {block_.bin1[at_], block_.bin2[at_]};
  }
  [[nodiscard]] const PixelValues& values() const { return block_.values; }
  [[nodiscard]] std::size_t at() const { return at_; }
  void advance() {
    if (++at_ == block_.bin1.size()) load();
  }

 private:
  void load() {
    ended_ = !stream_.next(block_);
    at_ = 0;
  }

  PixelStream stream_;
  Pixels block_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

class MapComparison {
 public:
  MapComparison(const std::string& a, const std::string& b, const CompareRequest& request,
                CompareReport& report, Observer& observer)
      : a_(a, request.reader_program),
        b_(b, request.reader_program),
        group_(genome::parse_uri(a).group),
        request_(request),
        report_(report),
        observer_(observer) {}

  void run() {
    ++report_.n_maps;
    if (const auto text = axes()) {
      report_.differences.push_back({DifferenceKind::bins, group_, "bins", *text, 0, 0, 1, {}});
      return;
    }
    compare_attributes();
    compare_columns("chroms", a_.chromosome_columns(), b_.chromosome_columns());
    compare_columns("bins", a_.bin_columns(), b_.bin_columns());
    const std::vector<std::string> fields_a = a_.fields();
    const std::vector<std::string> fields_b = b_.fields();
    for (const std::string& name : both(DifferenceKind::pixels, "pixels/", fields_a, fields_b)) {
      compare_pixels(name);
    }
  }

 private:
  std::optional<std::string> axes() const {
    if (a_.is_symmetric() != b_.is_symmetric()) {
      return "one map is symmetric and the other is not";
    }
    return a_.bin_difference(b_);
  }

  void compare_attributes() {
    std::map<std::string, std::pair<std::optional<std::string>, std::optional<std::string>>> texts;
    for (const auto& attribute : map_attributes(a_.uri(), request_.reader_program)) {
      texts[attribute.name].first = attribute.text;
    }
    for (const auto& attribute : map_attributes(b_.uri(), request_.reader_program)) {
      texts[attribute.name].second = attribute.text;
    }
    for (const auto& [name, text] : texts) {
      const auto& [a, b] = text;
      if (a == b || kOfWriting.contains(name)) continue;
      report_.differences.push_back(
          {DifferenceKind::attribute,
           group_,
           name,
           fmt::format("attribute {}: {} and {}", name, a.value_or("none"), b.value_or("none")),
           b ? 0 : 1,
           a ? 0 : 1,
           a && b ? 1 : 0,
           {}});
    }
  }

  // Names that both have; those that only one has are differences.
  std::vector<std::string> both(DifferenceKind kind, const std::string& prefix,
                                const std::vector<std::string>& a,
                                const std::vector<std::string>& b) {
    std::vector<std::string> common;
    for (const std::string& name : a) {
      if (std::find(b.begin(), b.end(), name) != b.end()) {
        common.push_back(name);
      } else {
        add_missing(kind, prefix + name, "first", true);
      }
    }
    for (const std::string& name : b) {
      if (std::find(a.begin(), a.end(), name) == a.end()) {
        add_missing(kind, prefix + name, "second", false);
      }
    }
    return common;
  }

  void add_missing(DifferenceKind kind, const std::string& object, const char* which, bool in_a) {
    report_.differences.push_back({kind,
                                   group_,
                                   object,
                                   fmt::format("{}: only the {} has it", object, which),
                                   in_a ? 1 : 0,
                                   in_a ? 0 : 1,
                                   0,
                                   {}});
  }

  void compare_columns(const std::string& table, const std::vector<std::string>& a,
                       const std::vector<std::string>& b) {
    for (const std::string& name : both(DifferenceKind::column, table + "/", a, b)) {
      const TableColumn one = column(a_, table, name);
      const TableColumn other = column(b_, table, name);
      const std::string object = table + "/" + name;
      Tally tally(request_.tolerance);
      if (!compare_values(one, other, tally)) {
        report_.differences.push_back(
            {DifferenceKind::column, group_, object, object + ": the types differ", 0, 0, 1, {}});
      } else if (tally.n() > 0) {
        report_.differences.push_back({DifferenceKind::column, group_, object,
                                       fmt::format("{}: {} rows differ{}; first {}", object,
                                                   tally.n(), tally.largest_text(), tally.first()),
                                       0, 0, tally.n(), tally.largest()});
      }
    }
  }

  static TableColumn column(const ContactMap& map, const std::string& table,
                            const std::string& name) {
    return table == "bins" ? map.bin_column(name) : map.chromosome_column(name);
  }

  // False when the values cannot be compared. Numbers of different types can.
  static bool compare_values(const TableColumn& one, const TableColumn& other, Tally& tally) {
    return std::visit(
        [&](const auto& a, const auto& b) {
          using A = typename std::decay_t<decltype(a)>::value_type;
          using B = typename std::decay_t<decltype(b)>::value_type;
          if constexpr (std::is_same_v<A, B> ||
                        (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)) {
            for (std::size_t row = 0; row < a.size(); ++row) {
              const auto place = [row] { return fmt::format("row {}", row); };
              if constexpr (std::is_same_v<A, B>) {
                tally.compare(a[row], b[row], place);
              } else {
                tally.compare(static_cast<double>(a[row]), static_cast<double>(b[row]), place);
              }
            }
            return true;
          }
          return false;
        },
        one, other);
  }

  void compare_pixels(const std::string& field) {
    PixelQuery query;
    query.rows = {0, a_.n_bins()};
    query.columns = query.rows;
    query.field = field;
    PixelWalk a(a_.pixels(query, &observer_));
    PixelWalk b(b_.pixels(query, &observer_));
    Difference found{DifferenceKind::pixels, group_, "pixels/" + field, "", 0, 0, 0, {}};
    Tally tally(request_.tolerance);
    std::string first;
    for (std::int64_t done = 0; !a.at_end() || !b.at_end(); ++done) {
      if (done % kStep == 0) {
        observer_.progress({"comparing", a_.uri() + " " + field, static_cast<std::uint64_t>(done),
                            static_cast<std::uint64_t>(std::max(a_.n_pixels(), b_.n_pixels()))});
      }
      ++report_.n_pixels;
      const bool a_first = b.at_end() || (!a.at_end() && a.cell() < b.cell());
      const bool b_first = a.at_end() || (!b.at_end() && b.cell() < a.cell());
      if (!a_first && !b_first) {
        compare_pixel(a, b, tally);
        if (first.empty()) first = tally.first();
        a.advance();
        b.advance();
        continue;
      }
      PixelWalk& only = a_first ? a : b;
      ++(a_first ? found.n_only_a : found.n_only_b);
      if (first.empty()) {
        first = fmt::format("{}: only in the {}", place_of(only), a_first ? "first" : "second");
      }
      only.advance();
    }
    found.n_different = tally.n();
    found.largest = tally.largest();
    if (found.n_only_a + found.n_only_b + found.n_different == 0) return;
    found.text = fmt::format(
        "{}: {} values differ{}, {} pixels only in the first, {} only in the second; first {}",
        found.object, found.n_different, tally.largest_text(), found.n_only_a, found.n_only_b,
        first);
    report_.differences.push_back(std::move(found));
  }

  static std::string place_of(const PixelWalk& walk) {
    return fmt::format("(bin1_id {}, bin2_id {})", walk.cell().first, walk.cell().second);
  }

  static void compare_pixel(const PixelWalk& a, const PixelWalk& b, Tally& tally) {
    const auto place = [&] { return place_of(a); };
    std::visit(
        [&](const auto& one, const auto& other) {
          using A = typename std::decay_t<decltype(one)>::value_type;
          using B = typename std::decay_t<decltype(other)>::value_type;
          if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
            tally.compare(std::int64_t{one[a.at()]}, std::int64_t{other[b.at()]}, place);
          } else {
            tally.compare(static_cast<double>(one[a.at()]), static_cast<double>(other[b.at()]),
                          place);
          }
        },
        a.values(), b.values());
  }

  // Pixels between two words of progress.
  static constexpr std::int64_t kStep = std::int64_t{1} << 20;

  ContactMap a_;
  ContactMap b_;
  std::string group_;
  const CompareRequest& request_;
  CompareReport& report_;
  Observer& observer_;
};

// The maps of a file that is named as a whole; the one map that is named, or that lies at the root.
std::vector<std::string> groups_of(const genome::Uri& uri, const std::string& reader_program) {
  if (uri.group != "/") return {uri.group};
  std::vector<std::string> groups = list_maps(uri.file, reader_program);
  if (groups.empty() || groups.front() == "/") return {"/"};
  return groups;
}

std::string uri_of(const std::string& file, const std::string& group) {
  return genome::to_string({file, group});
}

}  // namespace

CompareReport compare(const CompareRequest& request, Observer& observer) {
  if (!(request.tolerance >= 0)) fail(ErrorCode::usage, "the tolerance must be at least 0");
  const genome::Uri a = genome::parse_uri(request.a);
  const genome::Uri b = genome::parse_uri(request.b);
  const std::vector<std::string> groups_a = groups_of(a, request.reader_program);
  const std::vector<std::string> groups_b = groups_of(b, request.reader_program);
  CompareReport report;
  if (groups_a.size() == 1 && groups_b.size() == 1) {
    MapComparison(uri_of(a.file, groups_a.front()), uri_of(b.file, groups_b.front()), request,
                  report, observer)
        .run();
    return report;
  }
  const auto missing = [&](const std::string& group, bool in_a) {
    report.differences.push_back(
        {DifferenceKind::map,
         group,
         group,
         fmt::format("{}: only the {} file has this map", group, in_a ? "first" : "second"),
         in_a ? 1 : 0,
         in_a ? 0 : 1,
         0,
         {}});
  };
  for (const std::string& group : groups_a) {
    if (std::find(groups_b.begin(), groups_b.end(), group) == groups_b.end()) {
      missing(group, true);
    } else {
      MapComparison(uri_of(a.file, group), uri_of(b.file, group), request, report, observer).run();
    }
  }
  for (const std::string& group : groups_b) {
    if (std::find(groups_a.begin(), groups_a.end(), group) == groups_a.end()) missing(group, false);
  }
  return report;
}

}  // namespace ziggurat
