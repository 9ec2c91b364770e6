// Contacts as lines of tab-separated columns, turned into records.
//
// A record is a run of 64-bit words: the key, which orders it by its pixel (contacts/keys.hpp), and
// one word for each value column, an int64 or the bits of a double.
// Safe on any bytes. Thread rules: a parser is immutable; any number of threads may parse with it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contacts/keys.hpp"
#include "contacts/places.hpp"

namespace ziggurat::contacts {

// What to do with a contact that cannot be placed on the map.
enum class Misfit { drop, refuse };

// What to do with a contact whose first end comes after its second.
enum class LowerHalf {
  keep,     // the map is square
  reflect,  // the ends change places
  drop,     // the input lists the mirror image too
};

struct ValueColumn {
  std::string name;
  int column = 0;        // from 0
  bool integer = false;  // else a real number
};

struct LineRules {
  bool bin_ids = false;  // ends are given as bins and not as chromosome and position
  // From 0: chromosome and position of the first end and of the second. Of bin ids only `position`.
  std::array<int, 2> chromosome{0, 3};
  std::array<int, 2> position{1, 4};
  int first = 0;  // what the first position of a chromosome, or the first bin, is called: 0 or 1
  std::string comment = "#";       // lines that begin so are passed over; empty: there are none
  bool comment_ends_line = false;  // whatever follows it within a line is passed over as well
  LowerHalf lower_half = LowerHalf::reflect;
  Misfit unknown = Misfit::drop;    // a chromosome that the map has not
  Misfit outside = Misfit::refuse;  // a position beyond its chromosome's end, or in no bin
  std::vector<ValueColumn> values;
};

// What became of lines. Each line with columns is in one of the first four.
struct LineTally {
  std::uint64_t taken = 0;
  std::uint64_t unknown = 0;
  std::uint64_t outside = 0;
  std::uint64_t mirrored = 0;  // dropped as the mirror image of another
  std::uint64_t past_end = 0;  // taken, with an end just past its chromosome's

  void add(const LineTally& other);
};

struct ParsedBlock {
  std::vector<std::uint64_t> records;
  std::uint64_t lines = 0;  // of any kind; up to and with the faulty one
  LineTally tally;
  std::optional<std::string> fault;  // of the last line counted
};

class LineParser {
 public:
  // Keeps a reference to `places`.
  LineParser(const Places& places, LineRules rules);

  // Words of a record.
  [[nodiscard]] std::size_t words() const { return 1 + rules_.values.size(); }

  // Parses whole lines; the last may lack its end. Replaces `out`, keeping its memory. Stops at the
  // first line that breaks a rule.
  void parse(std::string_view text, ParsedBlock& out) const;

 private:
  class Line;

  const Places& places_;
  LineRules rules_;
  KeyLayout keys_;
  std::vector<int> columns_;                                 // that are looked at, ascending
  std::vector<std::size_t> chromosome_, position_, values_;  // where they stand in columns_
};

}  // namespace ziggurat::contacts
