#include "reader/protocol.hpp"

#include <catch2/catch.hpp>
#include <cstring>

#include "ziggurat/error.hpp"

namespace ziggurat::reader {
namespace {

using Texts = std::vector<std::string>;

template <typename Message>
std::vector<std::byte> payload_of(const Message& message) {
  wire::Encoder out;
  encode(message, out);
  return {out.payload().begin(), out.payload().end()};
}

// A message decoded from its own encoding. On the way: every shorter payload is refused, and so
// is a longer one.
template <typename Message, typename Decode>
Message sent(const Message& message, Decode decode) {
  std::vector<std::byte> payload = payload_of(message);
  const auto code = [&](std::size_t n) {
    try {
      wire::Decoder in{std::span(payload).first(n)};
      (void)decode(in);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode{};
  };
  for (std::size_t n = 0; n < payload.size(); ++n) {
    if (code(n) != ErrorCode::worker) FAIL("cut after " << n << " of " << payload.size());
  }
  wire::Decoder in(payload);
  Message received = decode(in);
  payload.push_back(std::byte{0});
  CHECK(code(payload.size()) == ErrorCode::worker);
  return received;
}

void check_equal(const h5::Value& a, const h5::Value& b) {
  CHECK(a.type == b.type);
  CHECK(a.scalar == b.scalar);
  CHECK(a.shape == b.shape);
  CHECK(a.bytes == b.bytes);
  CHECK(a.texts == b.texts);
}

void check_equal(const std::vector<h5::NamedValue>& a, const std::vector<h5::NamedValue>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].name == b[i].name);
    check_equal(a[i].value, b[i].value);
  }
}

void check_equal(const std::vector<cool::SideColumn>& a, const std::vector<cool::SideColumn>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].name == b[i].name);
    check_equal(a[i].value, b[i].value);
    check_equal(a[i].attributes, b[i].attributes);
  }
}

void check_equal(const cool::PixelColumn& a, const cool::PixelColumn& b) {
  CHECK(a.name == b.name);
  CHECK(a.type == b.type);
  CHECK(a.copyable == b.copyable);
  CHECK(a.chunk_length == b.chunk_length);
  CHECK(a.shuffle == b.shuffle);
  CHECK(a.deflate_level == b.deflate_level);
}

void check_equal(const genome::BinTable& a, const genome::BinTable& b) {
  CHECK(a.chromosomes() == b.chromosomes());
  CHECK(a.chrom_offsets() == b.chrom_offsets());
  CHECK(a.bin_size() == b.bin_size());
  REQUIRE(a.n_bins() == b.n_bins());
  for (std::int64_t bin = 0; bin < a.n_bins(); ++bin) {
    CHECK(a.start(bin) == b.start(bin));
    CHECK(a.end(bin) == b.end(bin));
  }
}

h5::Value some_numbers() {
  return {{std::byte{1}, std::byte{2}}, false, {2, 3}, std::vector<std::byte>(6, std::byte{9}), {}};
}
h5::Value some_texts() { return {{std::byte{3}}, true, {}, {}, {"hg38", "", "two words"}}; }

cool::Description some_description() {
  cool::Description map;
  map.label = "in.cool::/resolutions/10";
  map.bins = genome::BinTable::uniform({{"a", 35}, {"b", 20}}, 10);
  map.mode = cool::StorageMode::square;
  map.n_pixels = std::uint64_t{1} << 40;
  map.assembly = "hg38";
  map.metadata = "{}";
  map.attributes = {{"numbers", some_numbers()}, {"texts", some_texts()}};
  map.chrom_columns = {{"order", some_numbers(), {}}};
  map.bin_columns = {{"weight", some_numbers(), {{"tol", some_texts()}}}, {"gc", some_texts(), {}}};
  map.bin1 = {"bin1_id", NumberType::i64, true, 1000, true, 6};
  map.bin2 = {"bin2_id", NumberType::u32, false, 0, false, 0};
  map.fields = {{"count", NumberType::f64, true, 7, false, 9}, {"x", NumberType::i8}};
  map.notes = {"one", "two"};
  return map;
}

void check_survives(const genome::BinTable& bins) {
  cool::Description map = some_description();
  map.bins = bins;
  check_equal(sent(map, decode_description).bins, bins);
}

}  // namespace

TEST_CASE("a request to describe survives") {
  const DescribeRequest got =
      sent(DescribeRequest{"in.cool", "/resolutions/10", {"count", "x"}}, decode_describe_request);
  CHECK(got.file == "in.cool");
  CHECK(got.group == "/resolutions/10");
  CHECK(got.fields == Texts{"count", "x"});
}

TEST_CASE("a description survives") {
  const cool::Description map = some_description();
  const cool::Description got = sent(map, decode_description);
  CHECK(got.label == map.label);
  check_equal(got.bins, map.bins);
  CHECK(got.mode == map.mode);
  CHECK(got.n_pixels == map.n_pixels);
  CHECK(got.assembly == map.assembly);
  CHECK(got.metadata == map.metadata);
  check_equal(got.attributes, map.attributes);
  check_equal(got.chrom_columns, map.chrom_columns);
  check_equal(got.bin_columns, map.bin_columns);
  check_equal(got.bin1, map.bin1);
  check_equal(got.bin2, map.bin2);
  REQUIRE(got.fields.size() == 2);
  check_equal(got.fields[0], map.fields[0]);
  check_equal(got.fields[1], map.fields[1]);
  CHECK(got.notes == map.notes);
}

TEST_CASE("bins of every nature survive") {
  const std::vector<genome::Chromosome> two{{"a", 40}, {"b", 5}};
  check_survives(genome::BinTable::uniform({}, 1));
  check_survives(
      genome::BinTable::explicit_bins(two, {0, 3, 4}, {0, 7, 30, 0}, {7, 30, 40, 5}, std::nullopt));
  // Variable, yet even.
  check_survives(genome::BinTable::explicit_bins({{"a", 25}}, {0, 3}, {0, 10, 20}, {10, 20, 25},
                                                 std::nullopt));
  // Fixed, yet with a gap at the begin.
  check_survives(
      genome::BinTable::explicit_bins(two, {0, 3, 4}, {10, 20, 30, 0}, {20, 30, 40, 5}, 10));
}

TEST_CASE("a job survives") {
  Job job;
  job.file = "in.cool";
  job.group = "/";
  job.fields = {"count"};
  job.n_pixels = 123456789012;
  job.n_bins = 77;
  job.mode = pixels::StorageMode::square;
  job.pass_stored_chunks = true;
  job.sort_rows = true;
  job.duplicates = DuplicatePolicy::sum;
  job.nan = NanPolicy::skip;
  job.slot_bytes = 4096;
  job.table_bytes = 8192;
  job.levels = {
      {coarsen::kBase, 5, 0, 10, {{Aggregation::all, NumberType::u8, NumberType::f64, true}}},
      {0, 2, 10, 5, {}}};
  const Job got = sent(job, decode_job);
  CHECK(got.file == job.file);
  CHECK(got.group == job.group);
  CHECK(got.fields == job.fields);
  CHECK(got.n_pixels == job.n_pixels);
  CHECK(got.n_bins == job.n_bins);
  CHECK(got.mode == job.mode);
  CHECK(got.pass_stored_chunks);
  CHECK_FALSE(got.send_source);
  CHECK(got.sort_rows);
  CHECK(got.duplicates == job.duplicates);
  CHECK(got.nan == job.nan);
  CHECK(got.slot_bytes == job.slot_bytes);
  CHECK(got.table_bytes == job.table_bytes);
  REQUIRE(got.levels.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(got.levels[i].predecessor == job.levels[i].predecessor);
    CHECK(got.levels[i].n_bins == job.levels[i].n_bins);
    CHECK(got.levels[i].ids_at == job.levels[i].ids_at);
    CHECK(got.levels[i].n_ids == job.levels[i].n_ids);
    CHECK(got.levels[i].fields == job.levels[i].fields);
  }
  job.send_source = true;
  job.sort_rows = false;
  CHECK(sent(job, decode_job).send_source);
  CHECK_FALSE(sent(job, decode_job).sort_rows);
}

TEST_CASE("a block survives, with or without an exact total") {
  Block block{3, 2, 5, 9, {ValueForm::i32, ValueForm::f64}, std::nullopt};
  Block got = sent(block, decode_block);
  CHECK(got.slot == 3);
  CHECK(got.level == 2);
  CHECK(got.n_runs == 5);
  CHECK(got.n_pixels == 9);
  CHECK(got.forms == block.forms);
  CHECK_FALSE(got.exact_total);
  block.exact_total = 0.0;
  CHECK(sent(block, decode_block).exact_total == 0.0);
}

TEST_CASE("pieces of stored chunks survive") {
  const Stored got = sent(Stored{4, {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}}}, decode_stored);
  CHECK(got.slot == 4);
  REQUIRE(got.pieces.size() == 2);
  const StoredPiece& last = got.pieces[1];
  CHECK(last.column == 7);
  CHECK(last.mask == 8);
  CHECK(last.chunk == 9);
  CHECK(last.chunk_bytes == 10);
  CHECK(last.offset == 11);
  CHECK(last.bytes == 12);
}

TEST_CASE("faults and texts survive") {
  const Fault fault = sent(Fault{ErrorCode::format, "in.cool: row 7"}, decode_fault);
  CHECK(fault.code == ErrorCode::format);
  CHECK(fault.text == "in.cool: row 7");
  CHECK(sent(Texts{"/resolutions/10", ""}, decode_texts) == Texts{"/resolutions/10", ""});
  CHECK(sent(Texts{}, decode_texts).empty());
  const auto attributes =
      sent(std::vector<AttributeText>{{"nnz", "12", true}, {"format", "x", false}},
           decode_attribute_texts);
  REQUIRE(attributes.size() == 2);
  CHECK(attributes[0].name == "nnz");
  CHECK(attributes[0].text == "12");
  CHECK(attributes[0].is_number);
  CHECK_FALSE(attributes[1].is_number);
}

TEST_CASE("codes that are not known are refused") {
  std::vector<std::byte> fault = payload_of(Fault{ErrorCode::internal, ""});
  for (const std::int32_t code : {-1, 0, 10, 1 << 30}) {
    std::memcpy(fault.data(), &code, sizeof code);
    wire::Decoder in(fault);
    CHECK_THROWS_WITH(decode_fault(in), "a reader sent an unknown code " + std::to_string(code));
  }
}

TEST_CASE("a count that was made up takes no memory") {
  wire::Encoder out;
  out.put(~std::uint64_t{0});
  wire::Decoder in(out.payload());
  CHECK_THROWS_AS(decode_texts(in), Error);
}

}  // namespace ziggurat::reader
