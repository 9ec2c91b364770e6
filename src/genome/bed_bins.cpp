#include "genome/bed_bins.hpp"

#include <set>

#include "base/check.hpp"
#include "base/strings.hpp"
#include "genome/bin_columns.hpp"

namespace ziggurat::genome {

namespace {

class BedBins {
 public:
  explicit BedBins(const std::string& source) : source_(source) {}

  void take(std::string_view line, std::size_t number) {
    const std::vector<std::string_view> fields = split(line, '\t');
    std::optional<std::int64_t> start;
    std::optional<std::int64_t> end;
    if (fields.size() >= 3) {
      start = parse_int64(trim(fields[1]));
      end = parse_int64(trim(fields[2]));
    }
    if (fields.front().empty() || !start || !end || *start < 0 || *end <= *start) {
      fail(ErrorCode::usage,
           "{}, line {}: '{}' is not a chromosome, a start and an end after it "
           "with tabs between",
           source_, number, line.substr(0, 80));
    }
    if (chromosomes_.empty() || chromosomes_.back().name != fields.front()) {
      begin(std::string(fields.front()), number);
    }
    starts_.push_back(*start);
    ends_.push_back(*end);
    chromosomes_.back().length = *end;
  }

  BinTable table() {
    if (starts_.empty()) fail(ErrorCode::usage, "{} lists no bins", source_);
    offsets_.push_back(static_cast<std::int64_t>(starts_.size()));
    const std::optional<std::int64_t> width = inferred_bin_size(offsets_, starts_, ends_);
    try {
      return BinTable::explicit_bins(std::move(chromosomes_), std::move(offsets_),
                                     std::move(starts_), std::move(ends_), width);
    } catch (const Error& error) {
      fail(ErrorCode::usage, "{}: {}", source_, error.what());
    }
  }

 private:
  void begin(const std::string& name, std::size_t number) {
    if (!seen_.insert(name).second) {
      fail(ErrorCode::usage, "{}, line {}: the bins of {} do not all stand together", source_,
           number, name);
    }
    offsets_.push_back(static_cast<std::int64_t>(starts_.size()));
    chromosomes_.push_back({name, 0});
  }

  const std::string& source_;
  std::vector<Chromosome> chromosomes_;
  std::set<std::string> seen_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> ends_;
};

}  // namespace

BinTable parse_bed_bins(std::string_view text, const std::string& source) {
  BedBins bins(source);
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!trim(line).empty() && !line.starts_with('#')) bins.take(line, number);
  }
  return bins.table();
}

}  // namespace ziggurat::genome
