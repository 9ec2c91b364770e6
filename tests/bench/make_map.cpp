// make_map: writes a synthetic contact map as a .cool file. Options: make_map --help.
//
//   make_map --nnz 20e6  --resolution 10000 -o map_10kb_20M.cool
//   make_map --nnz 100e6 --resolution 5000  -o map_5kb_100M.cool
//
// The same options give the same pixels on one kind of processor; on another, the last bit of a
// library function may tip single counts.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "contact_model.hpp"
#include "cool_file.hpp"

namespace ziggurat::bench {
namespace {

struct Request {
  double pixels = 2e6;
  std::int64_t resolution = 50000;
  std::string assembly = "hg38";
  std::uint64_t seed = 1;
  double trans_share = 0.25;
  std::string output;
  CoolOptions cool;
};

// The depth at which about the wanted number of pixels is drawn: bisection on its logarithm,
// counting every few rows.
double depth_for(const ContactModel& model, double pixels) {
  const std::int64_t step = std::max<std::int64_t>(1, model.bins() / 6000);
  const auto enough = [&](double depth) {
    Contacts sample;
    for (std::int64_t row = step / 2; row < model.bins(); row += step) {
      model.row(row, depth, sample);
    }
    return static_cast<double>(sample.columns.size()) * static_cast<double>(step) >= pixels;
  };
  double low = 1e-6;
  double high = 1e-5;
  while (!enough(high)) {
    low = high;
    high *= 4;
    if (high > 1e12) throw std::runtime_error("--nnz is more than this map can hold");
  }
  constexpr int kHalvings = 14;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(low * high);
    (enough(middle) ? high : low) = middle;
  }
  return std::sqrt(low * high);
}

void make_map(const Request& request) {
  const ContactModel model(assembly(request.assembly), request.resolution, request.trans_share,
                           request.seed);
  const auto live = static_cast<double>(model.live_bins());
  if (request.pixels > 0.9 * live * (live + 1) / 2) {
    throw std::runtime_error("--nnz is more than 90 % of all pairs of covered bins");
  }
  const double depth = depth_for(model, request.pixels);
  CoolFile file(request.output, model, request.cool);
  Contacts row;
  for (std::int64_t id = 0; id < model.bins(); ++id) {
    row.columns.clear();
    row.counts.clear();
    model.row(id, depth, row);
    file.append_row(row);
  }
  const CoolSummary made = file.finish();
  const auto share = [&](std::int64_t part) {
    return static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(1, made.pixels));
  };
  std::printf("%s: bins %lld, pixels %lld, sum %lld, counts of one %.3f, cis pixels %.3f\n",
              request.output.c_str(), static_cast<long long>(model.bins()),
              static_cast<long long>(made.pixels), static_cast<long long>(made.sum),
              share(made.single_counts), share(made.cis_pixels));
}

}  // namespace
}  // namespace ziggurat::bench

int main(int argc, char** argv) {
  ziggurat::bench::Request request;
  CLI::App app("Writes a synthetic contact map as a .cool file.");
  app.add_option("--nnz", request.pixels, "stored pixels wanted, met within about 1 %")
      ->check(CLI::Range(1.0, 1e12));
  app.add_option("--resolution", request.resolution, "bin size in base pairs")
      ->check(CLI::Range(100, 100000000));
  app.add_option("--assembly", request.assembly, "hg38, mini, or a file of names and lengths");
  app.add_option("--seed", request.seed, "the same seed gives the same map");
  app.add_option("--trans", request.trans_share, "share of contacts between chromosomes")
      ->check(CLI::Range(0.0, 0.9));
  app.add_option("--chunk", request.cool.chunk_elements, "elements a chunk; 0: as h5py chooses");
  app.add_option("--level", request.cool.deflate_level, "deflate level")->check(CLI::Range(0, 9));
  app.add_flag("--float", request.cool.float_counts, "store counts as float64");
  app.add_option("-o", request.output, "output, overwritten")->required();
  CLI11_PARSE(app, argc, argv);
  request.cool.assembly = std::filesystem::path(request.assembly).stem();
  try {
    ziggurat::bench::make_map(request);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_map: %s\n", error.what());
    return 1;
  }
  return 0;
}
