#include "assembly.hpp"

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ziggurat::bench {
namespace {

struct MegabaseHole {
  double start;
  double end;
};

struct HumanChromosome {
  const char* name;
  std::int64_t length;
  // Rounded to 0.1 Mb; an empty one is not there.
  std::array<MegabaseHole, 2> holes;
  double dose = 1;
};

const std::array<HumanChromosome, 25> kHuman = {{
    {"chr1", 248956422, {{{121.7, 143.2}}}},
    {"chr2", 242193529, {{{91.8, 94.6}}}},
    {"chr3", 198295559, {{{90.5, 93.7}}}},
    {"chr4", 190214555, {{{49.6, 51.8}}}},
    {"chr5", 181538259, {{{46.4, 50.1}}}},
    {"chr6", 170805979, {{{58.5, 60.2}}}},
    {"chr7", 159345973, {{{57.7, 61.2}}}},
    {"chr8", 145138636, {{{43.9, 46.0}}}},
    {"chr9", 138394717, {{{43.3, 65.3}}}},
    {"chr10", 133797422, {{{39.6, 41.7}}}},
    {"chr11", 135086622, {{{50.9, 54.5}}}},
    {"chr12", 133275309, {{{34.7, 37.3}}}},
    {"chr13", 114364328, {{{0, 18.2}}}},
    {"chr14", 107043718, {{{0, 18.3}}}},
    {"chr15", 101991189, {{{0, 19.8}}}},
    {"chr16", 90338345, {{{35.3, 46.4}}}},
    {"chr17", 83257441, {{{22.7, 27.0}}}},
    {"chr18", 80373285, {{{15.4, 20.9}}}},
    {"chr19", 58617616, {{{24.4, 28.2}}}},
    {"chr20", 64444167, {{{25.6, 30.5}}}},
    {"chr21", 46709983, {{{0, 5.1}, {10.7, 13.2}}}},
    {"chr22", 50818468, {{{0, 15.2}}}},
    {"chrX", 156040895, {{{57.8, 62.5}}}, 0.5},
    {"chrY", 57227415, {{{10.2, 11.8}, {26.6, 56.9}}}, 0.5},
    {"chrM", 16569, {}, 6},
}};

std::vector<Chromosome> human() {
  std::vector<Chromosome> chromosomes;
  for (const HumanChromosome& human : kHuman) {
    Chromosome chromosome{human.name, human.length, {}, human.dose};
    for (const MegabaseHole& hole : human.holes) {
      if (hole.end <= hole.start) continue;
      chromosome.holes.push_back(
          {static_cast<std::int64_t>(hole.start * 1e6), static_cast<std::int64_t>(hole.end * 1e6)});
    }
    chromosomes.push_back(std::move(chromosome));
  }
  return chromosomes;
}

// A chromosome whose centromere lies at 40 % and takes one part in hole_divisor of it.
Chromosome with_centromere(const std::string& name, std::int64_t length,
                           std::int64_t hole_divisor) {
  const std::int64_t start = length * 2 / 5;
  return {name, length, {{start, start + length / hole_divisor}}, 1};
}

std::vector<Chromosome> from_sizes_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("neither hg38, mini nor a readable file: " + path);
  std::vector<Chromosome> chromosomes;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t length = 0;
    if (words >> name >> length && length > 0) {
      chromosomes.push_back(with_centromere(name, length, 40));
    }
  }
  if (chromosomes.empty()) throw std::runtime_error("no chromosomes in " + path);
  return chromosomes;
}

}  // namespace

std::vector<Chromosome> assembly(const std::string& name_or_path) {
  if (name_or_path == "hg38") return human();
  if (name_or_path == "mini") {
    return {with_centromere("chr1", 30000000, 25), with_centromere("chr2", 20012345, 25),
            with_centromere("chrX", 10000001, 25)};
  }
  return from_sizes_file(name_or_path);
}

}  // namespace ziggurat::bench
