// make_pairs: writes synthetic contacts as .pairs text, in no order. Options: make_pairs --help.
//
//   make_pairs --contacts 100e6 -o 100M.pairs --sizes hg38.sizes
//
// A quarter lies between chromosomes; within one, distances are spread evenly on a logarithmic
// scale, so that pixels near the diagonal get many contacts and others one. The same options give
// the same text on one kind of processor.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "assembly.hpp"
#include "random_stream.hpp"

namespace ziggurat::bench {
namespace {

constexpr double kTransShare = 0.25;
constexpr double kNearest = 500;  // bp
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;

struct Request {
  double contacts = 1e6;
  std::string assembly = "hg38";
  std::uint64_t seed = 1;
  std::string output;
  std::string sizes;
};

class Contacts {
 public:
  explicit Contacts(const Request& request)
      : chromosomes_(assembly(request.assembly)), random_(request.seed) {
    for (const Chromosome& chromosome : chromosomes_) {
      ends_.push_back((ends_.empty() ? 0 : ends_.back()) + static_cast<double>(chromosome.length));
    }
  }

  [[nodiscard]] const std::vector<Chromosome>& chromosomes() const { return chromosomes_; }

  void append(std::string& text, std::uint64_t number) {
    const std::size_t a = chromosome();
    const std::size_t b = random_.uniform() < kTransShare ? chromosome() : a;
    const std::int64_t p = position(a);
    const std::int64_t q = a == b ? partner(a, p) : position(b);
    fmt::format_to(std::back_inserter(text), "r{}\t{}\t{}\t{}\t{}\t{}\t{}\n", number,
                   chromosomes_[a].name, p, chromosomes_[b].name, q, strand(), strand());
  }

 private:
  std::size_t chromosome() {
    const auto found =
        std::upper_bound(ends_.begin(), ends_.end() - 1, random_.uniform() * ends_.back());
    return static_cast<std::size_t>(found - ends_.begin());
  }

  // From 1.
  std::int64_t position(std::size_t c) {
    const auto length = static_cast<double>(chromosomes_[c].length);
    return 1 + static_cast<std::int64_t>(random_.uniform() * length);
  }

  std::int64_t partner(std::size_t c, std::int64_t from) {
    const std::int64_t length = chromosomes_[c].length;
    const double decades = std::log(static_cast<double>(length) / kNearest);
    const auto distance =
        static_cast<std::int64_t>(kNearest * std::exp(random_.uniform() * decades));
    const std::int64_t to = random_.uniform() < 0.5 ? from - distance : from + distance;
    return std::clamp<std::int64_t>(to, 1, length);
  }

  char strand() { return random_.uniform() < 0.5 ? '+' : '-'; }

  std::vector<Chromosome> chromosomes_;
  std::vector<double> ends_;
  RandomStream random_;
};

void write(std::FILE* file, std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) {
    throw std::runtime_error("cannot write the contacts");
  }
  text.clear();
}

void make_pairs(const Request& request) {
  Contacts contacts(request);
  if (!request.sizes.empty()) {
    std::ofstream sizes(request.sizes);
    for (const Chromosome& c : contacts.chromosomes()) sizes << c.name << '\t' << c.length << '\n';
    if (!sizes.flush()) throw std::runtime_error("cannot write " + request.sizes);
  }
  std::FILE* const file = std::fopen(request.output.c_str(), "wb");
  if (file == nullptr) throw std::runtime_error("cannot write " + request.output);
  std::string text = "## pairs format v1.0\n#columns: readID chr1 pos1 chr2 pos2 strand1 strand2\n";
  const auto n = static_cast<std::uint64_t>(request.contacts);
  for (std::uint64_t i = 0; i < n; ++i) {
    contacts.append(text, i);
    if (text.size() > kFlushBytes) write(file, text);
  }
  write(file, text);
  if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + request.output);
}

}  // namespace
}  // namespace ziggurat::bench

int main(int argc, char** argv) {
  ziggurat::bench::Request request;
  CLI::App app("Writes synthetic contacts as .pairs text, in no order");
  app.add_option("--contacts", request.contacts, "How many [default: 1e6]")
      ->check(CLI::PositiveNumber);
  app.add_option("--assembly", request.assembly, "hg38, mini, or a file of names and lengths");
  app.add_option("--seed", request.seed, "Another seed, other contacts [default: 1]");
  app.add_option("-o,--output", request.output, "Output file")->required();
  app.add_option("--sizes", request.sizes, "Write names and lengths of chromosomes to this file");
  CLI11_PARSE(app, argc, argv);
  try {
    ziggurat::bench::make_pairs(request);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_pairs: %s\n", error.what());
    return 1;
  }
  return 0;
}
