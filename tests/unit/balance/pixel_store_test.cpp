#include "balance/pixel_store.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "balance/count_codes.hpp"
#include "small_maps.hpp"

using namespace ziggurat::balance;

namespace {

// The store's pixels, decoded.
std::vector<TestPixel> pixels_of(const PixelStore& store) {
  std::vector<TestPixel> all;
  for (const Segment& s : store.segments()) {
    visit_counts(s, [&](const auto& counts) {
      for (std::size_t r = 0; r + 1 < s.row_starts.size(); ++r) {
        for (std::uint32_t i = s.row_starts[r]; i < s.row_starts[r + 1]; ++i) {
          all.push_back({static_cast<std::uint32_t>(s.first_row) + static_cast<std::uint32_t>(r),
                         s.columns[i], counts(i)});
        }
      }
    });
  }
  return all;
}

bool same(const std::vector<TestPixel>& a, const std::vector<TestPixel>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto& x, auto& y) {
    const bool counts = x.count == y.count || (std::isnan(x.count) && std::isnan(y.count));
    return x.row == y.row && x.column == y.column && counts;
  });
}

// A row of 1024 pixels with count 1, the first of which are replaced.
std::vector<TestPixel> one_row(const std::vector<double>& first_counts) {
  std::vector<TestPixel> table;
  for (std::uint32_t c = 0; c < 1024; ++c) table.push_back({0, c, 1});
  for (std::size_t i = 0; i < first_counts.size(); ++i) table[i].count = first_counts[i];
  return table;
}

}  // namespace

TEST_CASE("counts take the narrowest code that holds nearly all of them") {
  struct Case {
    std::vector<double> counts;
    CountCode code;
    std::size_t escapes;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Case> cases = {
      {{0, 254}, CountCode::u8, 0},
      {{255, 9007199254740992.0}, CountCode::u8, 2},
      {{-1, nan}, CountCode::u8, 2},
      {{255, 256, 65534}, CountCode::u16, 0},
      {{255, 256, 300, 65535}, CountCode::u16, 1},
      {{0.5, 0.25, -3}, CountCode::f32, 0},
      {{16777216, 70000, 80000}, CountCode::f32, 0},
      {{0.1, 0.2, 0.3}, CountCode::f64, 0},
      {{16777217, 16777219, 16777221}, CountCode::f64, 0},
  };
  const StoreLayout layout = small_layout({0, 1024}, 0);
  for (const Case& c : cases) {
    Arena arena;
    const auto table = one_row(c.counts);
    const PixelStore store = make_store(layout, table, arena);
    REQUIRE(store.segments().size() == 1);
    CHECK(store.segments()[0].code == c.code);
    CHECK(store.segments()[0].escapes.size() == c.escapes);
    CHECK(same(pixels_of(store), table));
  }
}

TEST_CASE("ignored diagonals are left out, on both sides of the diagonal when the map is square") {
  const std::vector<TestPixel> square = {{1, 0, 1}, {1, 1, 2}, {1, 2, 3}, {2, 0, 4}, {2, 3, 5}};
  StoreLayout layout = small_layout({0, 4}, 2);
  layout.symmetry = Symmetry::square;
  Arena arena;
  CHECK(same(pixels_of(make_store(layout, square, arena)), {{2, 0, 4}}));
  layout.ignore_diags = 1;
  CHECK(pixels_of(make_store(layout, square, arena)).size() == 4);
  layout.ignore_diags = 0;
  CHECK(pixels_of(make_store(layout, square, arena)).size() == 5);
  layout.ignore_diags = -3;
  CHECK(pixels_of(make_store(layout, square, arena)).size() == 5);
}

TEST_CASE("rows that do not ascend are sorted") {
  Arena arena;
  const std::vector<TestPixel> table = {{0, 3, 1}, {0, 1, 2}, {0, 2, 3}, {1, 1, 4}};
  const PixelStore store = make_store(small_layout({0, 4}, 0), table, arena);
  CHECK(same(pixels_of(store), {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 1, 4}}));
}

TEST_CASE("chunks are cooler's, but no longer than needed to share the work") {
  StoreLayout layout = small_layout({0, 1000}, 0);
  CHECK(layout.cut_pixels() == 1048576);
  layout.chrom_offsets = {0, 600'000};
  CHECK(layout.cut_pixels() == 2'400'000);
  layout.chrom_offsets = {0, 6'000'000};
  CHECK(layout.cut_pixels() == 10'000'000);
  layout.chunk_pixels = 333;
  CHECK(layout.cut_pixels() == 333);
}

TEST_CASE("with contacts cis a store holds no pixel between chromosomes") {
  const std::vector<TestPixel> table = {{0, 1, 1}, {0, 2, 2}, {1, 4, 3}, {2, 3, 4}, {3, 4, 5}};
  Arena arena;
  const StoreLayout layout = small_layout({0, 2, 2, 4, 5}, 0, Contacts::cis);
  const PixelStore store = make_store(layout, table, arena);
  CHECK(same(pixels_of(store), {{0, 1, 1}, {2, 3, 4}}));
  REQUIRE(store.segments().size() == 2);
  CHECK(store.segments()[0].chromosome == 0);
  CHECK(store.segments()[1].chromosome == 2);
}

TEST_CASE("segments end where sums are cut, counted in rows of the table") {
  // Seven table rows in chunks of three; the first is on an ignored diagonal but counts.
  const std::vector<TestPixel> table = {{0, 0, 1}, {0, 3, 2}, {0, 4, 3}, {0, 5, 4},
                                        {2, 4, 5}, {3, 5, 6}, {3, 6, 7}};
  StoreLayout layout = small_layout({0, 2, 7}, 1);
  layout.chunk_pixels = 3;
  Arena arena;
  const PixelStore store = make_store(layout, table, arena);
  REQUIRE(store.segments().size() == 3);
  CHECK(store.segments()[0].columns.size() == 2);
  CHECK(store.segments()[1].columns.size() == 3);
  CHECK(store.segments()[1].first_row == 0);
  CHECK(store.segments()[2].columns.size() == 1);
  CHECK(store.segments()[2].genome_chunk == 2);

  // With contacts cis also where chunks end that begin with each chromosome: its second chromosome
  // starts at table row 4, so borders are 3, 4, 6, 7.
  layout.contacts = Contacts::cis;
  layout.ignore_diags = 0;
  const PixelStore cis = make_store(layout, table, arena);
  std::vector<std::size_t> sizes;
  for (const Segment& s : cis.segments()) sizes.push_back(s.columns.size());
  CHECK(sizes == std::vector<std::size_t>{1, 2, 1});
  CHECK(cis.segments()[2].chrom_chunk == 0);
}

TEST_CASE("dropping forgets masked bins, but not what is not finite") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<TestPixel> table = {{0, 1, 300}, {0, 2, 1e10}, {0, 3, 7},
                                        {1, 2, 5},   {1, 3, inf},  {2, 3, 0.5}};
  Arena arena;
  PixelStore store = make_store(small_layout({0, 4}, 0), table, arena);
  store.drop({false, true, false, false});
  CHECK(same(pixels_of(store), {{0, 2, 1e10}, {0, 3, 7}, {1, 3, inf}, {2, 3, 0.5}}));
}

TEST_CASE("dropping keeps escapes with their pixels") {
  auto table = one_row({1, 999, 1, 1, 1, 1, 1, 888});
  Arena arena;
  PixelStore store = make_store(small_layout({0, 1024}, 0), table, arena);
  REQUIRE(store.segments()[0].escapes.size() == 2);
  std::vector<bool> masked(1024, false);
  masked[1] = masked[3] = masked[4] = true;
  store.drop(masked);
  std::erase_if(table, [&](const TestPixel& p) { return masked[p.column]; });
  CHECK(same(pixels_of(store), table));
}

TEST_CASE("with contacts trans dropping forgets pixels within chromosomes, finite or not") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<TestPixel> table = {{0, 1, nan}, {0, 2, 2}, {1, 3, 3}, {2, 3, 4}};
  Arena arena;
  PixelStore store = make_store(small_layout({0, 2, 4}, 0, Contacts::trans), table, arena);
  CHECK(store.pixels() == 4);
  store.drop(std::vector<bool>(4, false));
  CHECK(same(pixels_of(store), {{0, 2, 2}, {1, 3, 3}}));
}
