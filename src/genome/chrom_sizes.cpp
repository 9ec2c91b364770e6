#include "genome/chrom_sizes.hpp"

#include <optional>
#include <set>

#include "base/check.hpp"
#include "base/strings.hpp"

namespace ziggurat::genome {

std::vector<Chromosome> parse_chrom_sizes(std::string_view text, const std::string& source) {
  std::vector<Chromosome> chromosomes;
  std::set<std::string> seen;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (trim(line).empty()) continue;
    const std::vector<std::string_view> fields = split(line, '\t');
    const std::int64_t length = fields.size() > 1 ? parse_int64(trim(fields[1])).value_or(0) : 0;
    if (fields.front().empty() || length < 1) {
      fail(ErrorCode::usage,
           "{}, line {}: '{}' is not a name and a length of at least 1 bp with a tab between",
           source, number, line);
    }
    const std::string name(fields.front());
    if (!seen.insert(name).second) {
      fail(ErrorCode::usage, "{}, line {}: chromosome {} is listed twice", source, number, name);
    }
    chromosomes.push_back({name, length});
  }
  if (chromosomes.empty()) fail(ErrorCode::usage, "{} lists no chromosome", source);
  return chromosomes;
}

}  // namespace ziggurat::genome
