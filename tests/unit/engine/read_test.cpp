// The reading interface against a matrix in memory, from maps that the writing interface made.
#include "ziggurat/read.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <thread>

#include "ziggurat/balance.hpp"
#include "ziggurat/error.hpp"
#include "ziggurat/write.hpp"

using namespace ziggurat;

namespace {

namespace fs = std::filesystem;
using Cells = std::map<std::pair<std::int64_t, std::int64_t>, double>;

constexpr std::int64_t kBins = 70;  // 40 of "one", 30 of "two"

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("read-test-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

template <typename Number>
class Given : public PixelSource {
 public:
  Given(const Cells& cells, std::size_t block) : cells_(cells), at_(cells.begin()), block_(block) {}
  bool next(Pixels& out) override {
    out = {};
    std::vector<Number> values;
    for (; at_ != cells_.end() && values.size() < block_; ++at_) {
      out.bin1.push_back(at_->first.first);
      out.bin2.push_back(at_->first.second);
      values.push_back(static_cast<Number>(at_->second));
    }
    const bool any = !values.empty();
    out.values = std::move(values);
    return any;
  }

 private:
  const Cells& cells_;
  Cells::const_iterator at_;
  std::size_t block_;
};

Settings settings() {
  Settings settings;
  settings.reader_program = ZIGGURAT_PROGRAM;
  settings.processes = 2;
  return settings;
}

WriteRequest request(const std::string& output, bool symmetric) {
  WriteRequest request;
  request.output = output;
  request.map.chromosomes = {{"one", 3950}, {"two", 3000}};
  request.map.bin_size = 100;
  request.map.symmetric = symmetric;
  request.settings = settings();
  return request;
}

Cells random_cells(bool symmetric, unsigned seed) {
  std::mt19937 random(seed);
  Cells cells;
  for (std::int64_t i = 0; i < kBins; ++i) {
    for (std::int64_t j = symmetric ? i : 0; j < kBins; ++j) {
      if (random() % 3 != 0) cells[{i, j}] = static_cast<double>(random() % 1000 + 1);
    }
  }
  return cells;
}

ContactMap made(const std::string& path, const Cells& cells, bool symmetric) {
  Observer silent;
  Given<std::int32_t> source(cells, 333);
  write_map(request(path, symmetric), source, silent);
  return ContactMap(path, ZIGGURAT_PROGRAM);
}

Cells expected(const Cells& cells, const PixelQuery& query, bool mirrored) {
  Cells out;
  const auto inside = [](std::int64_t bin, BinRange range) {
    return bin >= range.first && bin < range.end;
  };
  for (const auto& [cell, value] : cells) {
    const auto [i, j] = cell;
    if (inside(i, query.rows) && inside(j, query.columns)) out[{i, j}] = value;
    if (mirrored && inside(j, query.rows) && inside(i, query.columns)) out[{j, i}] = value;
  }
  return out;
}

Cells cells_of(const Pixels& pixels) {
  Cells out;
  std::pair<std::int64_t, std::int64_t> last{-1, -1};
  std::visit(
      [&](const auto& values) {
        REQUIRE(values.size() == pixels.bin1.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          const std::pair cell{pixels.bin1[i], pixels.bin2[i]};
          REQUIRE(last < cell);
          last = cell;
          out[cell] = static_cast<double>(values[i]);
        }
      },
      pixels.values);
  return out;
}

ErrorCode code_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode{};
}

BinRange random_range(std::mt19937& random) {
  const auto a = static_cast<std::int64_t>(random() % (kBins + 1));
  const auto b = static_cast<std::int64_t>(random() % (kBins + 1));
  return {std::min(a, b), std::max(a, b)};
}

}  // namespace

TEST_CASE("pixels of any rectangle are those of the matrix") {
  const Folder folder;
  std::mt19937 random(7);
  for (const bool symmetric : {true, false}) {
    const Cells cells = random_cells(symmetric, symmetric ? 1 : 2);
    const ContactMap map = made(folder.file("map.cool"), cells, symmetric);
    CHECK(map.is_symmetric() == symmetric);
    CHECK(map.n_bins() == kBins);
    CHECK(map.n_pixels() == static_cast<std::int64_t>(cells.size()));
    for (int i = 0; i < 150; ++i) {
      PixelQuery query;
      query.rows = random_range(random);
      query.columns = random_range(random);
      query.triangle = i % 2 == 0 ? Triangle::stored : Triangle::full;
      const Cells want = expected(cells, query, symmetric && query.triangle == Triangle::full);
      const Pixels got = map.fetch(query);
      CHECK(std::holds_alternative<std::vector<std::int32_t>>(got.values));
      CHECK(cells_of(got) == want);
      const CsrPixels csr = map.fetch_csr(query);
      CHECK(csr.offsets.back() == static_cast<std::int64_t>(want.size()));
      CHECK(csr.n_rows == query.rows.end - query.rows.first);
      for (std::size_t p = 0; p < csr.columns.size(); ++p) {
        CHECK(csr.columns[p] == got.bin2[p] - query.columns.first);
        const std::int64_t row = got.bin1[p] - query.rows.first;
        CHECK(csr.offsets[static_cast<std::size_t>(row)] <= static_cast<std::int64_t>(p));
        CHECK(csr.offsets[static_cast<std::size_t>(row) + 1] > static_cast<std::int64_t>(p));
      }
    }
  }
}

TEST_CASE("tables, regions and offsets") {
  const Folder folder;
  const Cells cells = random_cells(true, 3);
  const ContactMap map = made(folder.file("map.cool"), cells, true);
  CHECK(map.chromosomes().size() == 2);
  CHECK(map.chromosomes()[1].name == "two");
  CHECK(map.chromosome_offsets() == std::vector<std::int64_t>{0, 40, 70});
  CHECK(map.bin_size() == 100);
  const BinIntervals bins = map.bins({39, 41});
  CHECK(bins.chromosomes == std::vector<std::int32_t>{0, 1});
  CHECK(bins.starts == std::vector<std::int64_t>{3900, 0});
  CHECK(bins.ends == std::vector<std::int64_t>{3950, 100});
  CHECK(map.bins_of("two:150-301").first == 41);
  CHECK(map.bins_of("two:150-301").end == 44);
  CHECK(map.fields() == std::vector<std::string>{"count"});
  CHECK(map.field_type("count") == "int32");
  const std::vector<std::int64_t> offsets = map.pixel_offsets({0, kBins});
  for (std::int64_t row = 0; row <= kBins; ++row) {
    const auto before = std::count_if(cells.begin(), cells.end(),
                                      [&](const auto& cell) { return cell.first.first < row; });
    CHECK(offsets[static_cast<std::size_t>(row)] == before);
  }
  CHECK(code_of([&] { static_cast<void>(map.bins_of("three")); }) == ErrorCode::usage);
  CHECK(code_of([&] { static_cast<void>(map.weights("weight")); }) == ErrorCode::usage);
  CHECK(code_of([&] {
          static_cast<void>(map.fetch({{0, kBins + 1}, {0, 1}}));
        }) == ErrorCode::usage);
}

TEST_CASE("balanced values are count times both weights, NaN where one is missing") {
  const Folder folder;
  const Cells cells = random_cells(true, 4);
  const std::string path = folder.file("map.cool");
  static_cast<void>(made(path, cells, true));
  Observer silent;
  BalanceRequest balancing;
  balancing.target = path;
  balancing.settings = settings();
  balancing.options.min_nnz = 40;
  balance_maps(balancing, silent);
  const ContactMap map(path, ZIGGURAT_PROGRAM);
  const std::vector<double> weights = map.weights("weight");
  PixelQuery query{{10, 60}, {0, kBins}, Triangle::full};
  const Pixels raw = map.fetch(query);
  query.weights = "weight";
  const Pixels balanced = map.fetch(query);
  query.use = WeightUse::divide;
  const Pixels divided = map.fetch(query);
  REQUIRE(raw.bin1 == balanced.bin1);
  for (std::size_t i = 0; i < raw.bin1.size(); ++i) {
    const double w1 = weights[static_cast<std::size_t>(raw.bin1[i])];
    const double w2 = weights[static_cast<std::size_t>(raw.bin2[i])];
    const double count = std::get<std::vector<std::int32_t>>(raw.values)[i];
    const double value = std::get<std::vector<double>>(balanced.values)[i];
    if (std::isnan(w1) || std::isnan(w2)) {
      CHECK(std::isnan(value));
    } else {
      CHECK(value == w1 * w2 * count);
      CHECK(std::get<std::vector<double>>(divided.values)[i] == Approx(count / w1 / w2));
    }
  }
}

TEST_CASE("threads and streams ask at the same time") {
  const Folder folder;
  const Cells cells = random_cells(true, 5);
  const ContactMap map = made(folder.file("map.cool"), cells, true);
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < 30; ++i) {
        PixelQuery query{random_range(random), random_range(random), Triangle::full};
        if (map.fetch(query).size() !=
            static_cast<std::int64_t>(expected(cells, query, true).size())) {
          ++wrong[t];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::array<int, 4>{});
  // The threads that started readers are gone; the readers are not.
  const PixelQuery all{{0, kBins}, {0, kBins}};
  PixelStream one = map.pixels(all);
  PixelStream other = map.pixels(all);
  Pixels a;
  Pixels b;
  CHECK(one.next(a));
  CHECK(other.next(b));
  CHECK(cells_of(a) == cells_of(b));
}

TEST_CASE("a fork goes on with readers of its own") {
  const Folder folder;
  const Cells cells = random_cells(true, 6);
  const PixelQuery all{{0, kBins}, {0, kBins}};
  const ContactMap map = made(folder.file("map.cool"), cells, true);
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    try {
      code = map.fetch(all).size() == static_cast<std::int64_t>(cells.size()) ? 0 : 2;
    } catch (...) {
    }
    ::_exit(code);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(cells_of(map.fetch(all)) == cells);
}

TEST_CASE("a file that was replaced is not taken for the one that was opened") {
  const Folder folder;
  const std::string path = folder.file("map.cool");
  const PixelQuery all{{0, kBins}, {0, kBins}};
  const ContactMap map = made(path, random_cells(true, 8), true);
  PixelStream busy = map.pixels(all);
  Pixels block;
  REQUIRE(busy.next(block));
  static_cast<void>(made(path, random_cells(true, 9), true));
  CHECK(code_of([&] { static_cast<void>(map.fetch(all)); }) == ErrorCode::input);
}

TEST_CASE("what is no map is said to be none") {
  const Folder folder;
  const std::string path = folder.file("text");
  std::ofstream(path) << "not HDF5";
  CHECK(code_of([&] { const ContactMap map(path, ZIGGURAT_PROGRAM); }) == ErrorCode::input);
  CHECK(code_of([&] { const ContactMap map(folder.file("none"), ZIGGURAT_PROGRAM); }) ==
        ErrorCode::input);
}

TEST_CASE("pixels that cannot be written are named") {
  const Folder folder;
  Observer silent;
  const auto refuse = [&](const std::vector<std::pair<std::int64_t, std::int64_t>>& cells) {
    class Source : public PixelSource {
     public:
      explicit Source(const std::vector<std::pair<std::int64_t, std::int64_t>>& cells)
          : cells_(cells) {}
      bool next(Pixels& out) override {
        if (given_) return false;
        given_ = true;
        out = {};
        for (const auto& [i, j] : cells_) {
          out.bin1.push_back(i);
          out.bin2.push_back(j);
        }
        out.values = std::vector<std::int32_t>(cells_.size(), 1);
        return true;
      }

     private:
      std::vector<std::pair<std::int64_t, std::int64_t>> cells_;
      bool given_ = false;
    } source(cells);
    const std::string path = folder.file("out.cool");
    const ErrorCode code = code_of([&] { write_map(request(path, true), source, silent); });
    CHECK_FALSE(fs::exists(path));
    return code;
  };
  CHECK(refuse({{1, 2}, {1, 2}}) == ErrorCode::usage);
  CHECK(refuse({{1, 2}, {0, 3}}) == ErrorCode::usage);
  CHECK(refuse({{2, 1}}) == ErrorCode::usage);
  CHECK(refuse({{-1, 1}}) == ErrorCode::usage);
  CHECK(refuse({{1, kBins}}) == ErrorCode::usage);
}

TEST_CASE("values are stored in the type asked for, or a wider one where they need it") {
  const Folder folder;
  Observer silent;
  const PixelQuery all{{0, kBins}, {0, kBins}};
  Cells cells = random_cells(true, 10);
  cells[{3, 5}] = 3e9;
  const std::string path = folder.file("wide.cool");
  Given<std::int64_t> wide(cells, 100);
  write_map(request(path, true), wide, silent);
  const ContactMap map(path, ZIGGURAT_PROGRAM);
  CHECK(map.field_type("count") == "int64");
  CHECK(cells_of(map.fetch(all)) == cells);
  WriteRequest halves = request(folder.file("half.cool"), true);
  halves.map.type = "float64";
  for (auto& [cell, value] : cells) value /= 4;
  Given<double> quarters(cells, 100);
  write_map(halves, quarters, silent);
  CHECK(cells_of(ContactMap(halves.output, ZIGGURAT_PROGRAM).fetch(all)) == cells);
}
