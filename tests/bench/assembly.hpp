// The genomes that synthetic maps are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ziggurat::bench {

// Half-open, in base pairs.
struct Interval {
  std::int64_t start;
  std::int64_t end;
};

struct Chromosome {
  std::string name;
  std::int64_t length;
  // Stretches without mappable reads: centromeres, acrocentric arms, heterochromatin.
  std::vector<Interval> holes;
  // Copies of this chromosome for each copy of an autosome.
  double dose;
};

// "hg38" (chr1..22, X, Y, M), "mini" (three short chromosomes, 60 Mb in all), or the path of a
// two-column file of names and lengths. Throws std::runtime_error when it is none of these.
[[nodiscard]] std::vector<Chromosome> assembly(const std::string& name_or_path);

}  // namespace ziggurat::bench
