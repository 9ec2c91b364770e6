// Chunks are inflated by zlib and by libdeflate, never by our own code, and unshuffled by the
// definition. Compressed bytes are compared only where the header promises that they agree.
#include "codec/chunk_encoder.hpp"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "ziggurat/error.hpp"

namespace {

using ziggurat::RowRun;
using ziggurat::codec::ChunkEncoder;
using Bytes = std::vector<std::byte>;

Bytes unshuffled(const Bytes& in, std::size_t size) {
  const std::size_t n = in.size() / size;
  Bytes out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) out[(i % n) * size + i / n] = in[i];
  return out;
}

// The elements of a stored chunk, agreed on by two inflaters.
Bytes elements_of(std::span<const std::byte> stored, std::size_t chunk_bytes, std::size_t size) {
  Bytes by_zlib(chunk_bytes + 1);
  uLongf got = by_zlib.size();
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(by_zlib.data()), &got,
                     reinterpret_cast<const Bytef*>(stored.data()), stored.size()) == Z_OK);
  REQUIRE(got == chunk_bytes);
  by_zlib.resize(chunk_bytes);

  Bytes by_libdeflate(chunk_bytes);
  libdeflate_decompressor* handle = libdeflate_alloc_decompressor();
  std::size_t used = 0;
  const libdeflate_result result = libdeflate_zlib_decompress_ex(
      handle, stored.data(), stored.size(), by_libdeflate.data(), chunk_bytes, &used, nullptr);
  libdeflate_free_decompressor(handle);
  REQUIRE(result == LIBDEFLATE_SUCCESS);
  REQUIRE(used == stored.size());
  REQUIRE(by_zlib == by_libdeflate);
  return unshuffled(by_zlib, size);
}

template <typename T>
Bytes chunk_of(const std::vector<T>& values, std::size_t chunk_length) {
  Bytes made(chunk_length * sizeof(T));
  if (!values.empty()) std::memcpy(made.data(), values.data(), values.size() * sizeof(T));
  return made;
}

template <typename T>
std::size_t check_elements(ChunkEncoder& encoder, const std::vector<T>& values,
                           std::size_t chunk_length) {
  const std::span<const std::byte> stored = encoder.encode_elements(
      std::as_bytes(std::span(values)), sizeof(T), static_cast<std::int64_t>(chunk_length));
  REQUIRE(elements_of(stored, chunk_length * sizeof(T), sizeof(T)) ==
          chunk_of(values, chunk_length));
  return stored.size();
}

std::size_t check_ids(ChunkEncoder& encoder, const std::vector<std::uint32_t>& ids,
                      std::size_t chunk_length) {
  const std::span<const std::byte> stored =
      encoder.encode_ids(ids, static_cast<std::int64_t>(chunk_length));
  const std::vector<std::int64_t> wide(ids.begin(), ids.end());
  REQUIRE(elements_of(stored, chunk_length * 8, 8) == chunk_of(wide, chunk_length));
  return stored.size();
}

std::size_t check_rows(ChunkEncoder& encoder, const std::vector<RowRun>& runs,
                       std::size_t chunk_length) {
  const std::span<const std::byte> stored =
      encoder.encode_rows(runs, static_cast<std::int64_t>(chunk_length));
  std::vector<std::int64_t> wide;
  for (const RowRun& run : runs) wide.insert(wide.end(), run.n, run.row);
  REQUIRE(elements_of(stored, chunk_length * 8, 8) == chunk_of(wide, chunk_length));
  return stored.size();
}

// Columns sorted within rows, as in a pixel table: dense near the diagonal, sparse far from it.
std::vector<std::uint32_t> pixel_columns(std::size_t n, std::uint32_t row, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> ids;
  while (ids.size() < n) {
    std::uint32_t column = row;
    const std::size_t end = std::min(n, ids.size() + 20 + random() % 100);
    while (ids.size() < end) {
      ids.push_back(column);
      column += static_cast<std::uint32_t>(1 + random() % (1 + (column - row) / 4));
    }
    ++row;
  }
  return ids;
}

std::vector<std::int32_t> pixel_counts(std::size_t n, unsigned seed, unsigned one_in) {
  std::mt19937 random(seed);
  std::vector<std::int32_t> counts(n, 1);
  for (std::int32_t& count : counts) {
    if (random() % one_in == 0) count = static_cast<std::int32_t>(random() % 9);
    if (random() % 997 == 0) count = static_cast<std::int32_t>(random());
  }
  return counts;
}

std::vector<RowRun> row_runs(std::size_t n, std::uint32_t first_row, unsigned mean) {
  std::mt19937 random(mean);
  std::vector<RowRun> runs;
  for (std::size_t left = n; left > 0;) {
    const std::size_t length = std::min<std::size_t>(left, random() % (2 * mean));
    runs.push_back({first_row++, static_cast<std::uint32_t>(length)});
    left -= length;
  }
  return runs;
}

constexpr std::size_t kLengths[] = {1,    2,    3,    31,    258,   259,   260,
                                    1000, 6033, 8191, 16384, 32769, 65536, 100000};

}  // namespace

TEST_CASE("an empty chunk is all zeros") {
  for (int level = 1; level <= 9; ++level) {
    ChunkEncoder encoder(level);
    for (const std::size_t length : {0U, 1U, 100U, 16384U}) {
      check_ids(encoder, {}, length);
      check_rows(encoder, {}, length);
      check_elements<double>(encoder, {}, length);
    }
  }
}

TEST_CASE("ids come back at every level and length") {
  for (int level = 1; level <= 9; ++level) {
    ChunkEncoder encoder(level);
    for (const std::size_t length : kLengths) {
      for (const std::uint32_t row : {0U, 250U, 65500U, 300000U, 0xFFF00000U}) {
        check_ids(encoder, pixel_columns(length, row, 3), length);
      }
      check_ids(encoder, pixel_columns(length / 2, 1000, 4), length);
      check_ids(encoder, std::vector<std::uint32_t>(length, 0xFFFFFFFF), length);
    }
  }
}

TEST_CASE("rows come back from their runs") {
  for (int level = 1; level <= 9; ++level) {
    ChunkEncoder encoder(level);
    for (const std::size_t length : kLengths) {
      for (const unsigned mean : {1U, 2U, 5U, 60U, 1000U}) {
        for (const std::uint32_t first : {0U, 255U, 65530U, 16777200U, 0xFFF00000U}) {
          check_rows(encoder, row_runs(length, first, mean), length);
        }
        check_rows(encoder, row_runs(length / 3, 77, mean), length);
      }
    }
    check_rows(encoder, {{5, 0}, {6, 100}, {7, 0}, {0, 3}, {6, 1}, {6, 1}, {9, 0}}, 200);
  }
}

TEST_CASE("elements of every size come back") {
  for (int level = 1; level <= 9; ++level) {
    ChunkEncoder encoder(level);
    for (const std::size_t length : kLengths) {
      for (const unsigned one_in : {1U, 2U, 7U, 1000U}) {
        const std::vector<std::int32_t> counts = pixel_counts(length, one_in, one_in);
        check_elements(encoder, counts, length);
        check_elements(encoder, std::vector<double>(counts.begin(), counts.end()), length);
      }
      std::mt19937 random(5);
      std::vector<double> noise(length);
      for (double& value : noise) value = static_cast<double>(random()) / 7.0;
      check_elements(encoder, noise, length);
      check_elements(encoder, pixel_counts(length - length / 4, 9, 3), length);
      std::vector<std::uint8_t> small(length);
      for (std::uint8_t& value : small) value = static_cast<std::uint8_t>(random() % 3);
      check_elements(encoder, small, length);
      std::vector<std::array<std::uint8_t, 12>> names(length, {'c', 'h', 'r'});
      for (std::size_t i = 0; i < length; ++i) names[i][3] = static_cast<std::uint8_t>(i / 400);
      check_elements(encoder, names, length);
    }
  }
}

namespace {

// Bytes that change their kind again and again: noise, runs, words of few symbols, and copies of
// anything before, near and farther than a window.
Bytes mixture(std::size_t n, std::mt19937& random) {
  Bytes made;
  while (made.size() < n) {
    const std::size_t length = 1 + random() % (1U << (random() % 12));
    const unsigned kind = random() % 4;
    const std::size_t back = made.empty() ? 0 : 1 + random() % made.size();
    const unsigned mask = kind == 0 ? 0xFF : 0x03;
    const auto symbol = static_cast<std::byte>(random());
    for (std::size_t i = 0; i < length; ++i) {
      if (kind == 3 && back > 0) {
        made.push_back(made[made.size() - back]);
      } else {
        made.push_back(kind == 2 ? symbol : static_cast<std::byte>(random() & mask));
      }
    }
  }
  made.resize(n);
  return made;
}

}  // namespace

TEST_CASE("planes of every kind and length come back") {
  std::mt19937 random(17);
  for (const int level : {1, 4, 7}) {
    ChunkEncoder encoder(level);
    for (int round = 0; round < 150; ++round) {
      const std::size_t length = 1 + random() % (1U << (4 + random() % 14));
      const Bytes plane = mixture(length, random);
      check_elements(encoder, std::vector<std::byte>(plane), length + random() % 3);
      if (round % 3 != 0) continue;
      std::vector<std::uint32_t> ids(length);
      for (std::size_t i = 0; i < length; ++i) {
        ids[i] = std::to_integer<std::uint32_t>(plane[i]) << (8 * (round % 4)) |
                 std::to_integer<std::uint32_t>(plane[length - 1 - i]);
      }
      check_ids(encoder, ids, length + random() % 40);
    }
  }
}

// Each step up the levels takes more time, so it must save something where there is something.
TEST_CASE("higher levels are no larger on columns as in pixel tables") {
  std::array<std::size_t, 10> size{};
  for (const int level : {1, 3, 4, 6, 7, 9}) {
    ChunkEncoder encoder(level);
    for (unsigned seed = 0; seed < 4; ++seed) {
      size[static_cast<std::size_t>(level)] +=
          check_ids(encoder, pixel_columns(16384, 5000 * seed, seed), 16384);
      size[static_cast<std::size_t>(level)] +=
          check_elements(encoder, pixel_counts(16384, seed, 2 + 3 * seed), 16384);
    }
  }
  CHECK(size[1] == size[3]);
  CHECK(size[4] == size[6]);
  CHECK(size[6] <= size[3]);
  CHECK(size[7] <= size[6]);
  CHECK(size[9] <= size[7]);
}

TEST_CASE("what an encoder did before leaves no trace") {
  for (const int level : {1, 6, 9}) {
    const std::vector<std::uint32_t> ids = pixel_columns(16384, 70000, 8);
    ChunkEncoder used(level);
    check_elements(used, pixel_counts(30000, 1, 2), 40000);
    check_rows(used, row_runs(9000, 3, 7), 16384);
    const std::span<const std::byte> later = used.encode_ids(ids, 16384);
    ChunkEncoder fresh(level);
    const std::span<const std::byte> first = fresh.encode_ids(ids, 16384);
    CHECK(std::ranges::equal(later, first));
  }
}

TEST_CASE("a chunk longer than an encoder's piece comes back") {
  const std::size_t length = 2'500'001;
  for (const int level : {1, 6, 9}) {
    ChunkEncoder encoder(level);
    check_ids(encoder, pixel_columns(length, 90, 2), length);
    check_rows(encoder, row_runs(length, 250, 40), length);
    check_elements(encoder, pixel_counts(length - 5, 6, 4), length);
    check_ids(encoder, {7}, length);
  }
}

TEST_CASE("noise does not grow by more than its frame") {
  std::mt19937_64 random(21);
  std::vector<std::uint64_t> noise(16384);
  for (std::uint64_t& value : noise) value = random();
  for (const int level : {1, 6}) {
    ChunkEncoder encoder(level);
    CHECK(check_elements(encoder, noise, noise.size()) < noise.size() * 8 + 100);
  }
}

namespace {

constexpr std::size_t kColumn = 98304;
constexpr std::size_t kOurChunk = 16384;
constexpr std::size_t kTheirChunk = 3072;  // about what cooler makes of some 15 M pixels

std::size_t zlib_size(std::span<const std::byte> elements, std::size_t size) {
  const std::size_t n = elements.size() / size;
  Bytes planes(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) planes[i % size * n + i / size] = elements[i];
  uLongf stored = compressBound(planes.size());
  Bytes stream(stored);
  REQUIRE(compress2(reinterpret_cast<Bytef*>(stream.data()), &stored,
                    reinterpret_cast<const Bytef*>(planes.data()), planes.size(), 6) == Z_OK);
  return stored;
}

template <typename T>
std::size_t zlib_column_size(const std::vector<T>& column, std::size_t chunk) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < kColumn; i += chunk) {
    total += zlib_size(std::as_bytes(std::span(column).subspan(i, chunk)), sizeof(T));
  }
  return total;
}

}  // namespace

// The promise of kDefaultLevel, on columns built like those of pixel tables; level 7 keeps it for
// chunks twice as long as well.
TEST_CASE("no larger than zlib level 6 in chunks as cooler makes them") {
  for (const auto& [level, their_chunk] :
       {std::pair(ziggurat::codec::kDefaultLevel, kTheirChunk), std::pair(7, 2 * kTheirChunk)}) {
    ChunkEncoder encoder(level);
    for (unsigned seed = 0; seed < 4; ++seed) {
      const std::vector<std::uint32_t> ids = pixel_columns(kColumn, 5000 * seed, seed);
      const std::vector<std::int32_t> counts = pixel_counts(kColumn, seed, 2 + 3 * seed);
      std::vector<std::int64_t> rows;
      std::size_t ours = 0;
      for (std::size_t i = 0; i < kColumn; i += kOurChunk) {
        const std::vector<RowRun> runs = row_runs(kOurChunk, static_cast<std::uint32_t>(i), 60);
        for (const RowRun& run : runs) rows.insert(rows.end(), run.n, run.row);
        const std::span<const std::int32_t> some_counts = std::span(counts).subspan(i, kOurChunk);
        ours += encoder.encode_rows(runs, kOurChunk).size();
        ours += encoder.encode_ids(std::span(ids).subspan(i, kOurChunk), kOurChunk).size();
        ours += encoder.encode_elements(std::as_bytes(some_counts), 4, kOurChunk).size();
      }
      const std::vector<std::int64_t> wide_ids(ids.begin(), ids.end());
      CHECK(ours <= zlib_column_size(rows, their_chunk) + zlib_column_size(wide_ids, their_chunk) +
                        zlib_column_size(counts, their_chunk));
    }
  }
}

TEST_CASE("misuse is refused") {
  CHECK_THROWS_AS(ChunkEncoder(0), ziggurat::Error);
  CHECK_THROWS_AS(ChunkEncoder(10), ziggurat::Error);
  ChunkEncoder encoder;
  const std::vector<std::uint32_t> three = {1, 2, 3};
  const std::vector<RowRun> runs = {{1, 2}, {2, 1}};
  CHECK_THROWS_AS(encoder.encode_ids(three, 2), ziggurat::Error);
  CHECK_THROWS_AS(encoder.encode_rows(runs, 2), ziggurat::Error);
  CHECK_THROWS_AS(encoder.encode_elements(std::as_bytes(std::span(three)), 8, 4), ziggurat::Error);
  CHECK_THROWS_AS(encoder.encode_elements(std::as_bytes(std::span(three)), 0, 4), ziggurat::Error);
  CHECK_THROWS_AS(encoder.encode_ids(three, -1), ziggurat::Error);
  CHECK_THROWS_AS(encoder.encode_ids(three, std::int64_t{1} << 40), ziggurat::Error);
}
