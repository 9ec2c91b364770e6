#include "seeds.hpp"

#include <zlib.h>

#include <cstring>

#include "h5/journal_format.hpp"
#include "reader/protocol.hpp"
#include "wire/frame.hpp"

namespace ziggurat::fuzz {
namespace {

constexpr const char* kFile = "map.cool";

Bytes to_bytes(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

template <typename T>
Bytes as_stored(std::span<const T> values) {
  return to_bytes(std::as_bytes(values));
}

template <typename T>
Bytes message(Message kind, const T& value) {
  wire::Encoder out;
  reader::encode(value, out);
  Bytes bytes{static_cast<std::byte>(kind)};
  const Bytes payload = to_bytes(out.payload());
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

// A bit window of 15 makes a zlib stream, 31 a gzip member.
Bytes deflated(std::span<const std::byte> content, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  Bytes packed(deflateBound(&stream, content.size()) + 64);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

h5::NamedValue text_value() { return {"assembly", {{}, true, {}, {}, {"hg38"}}}; }

cool::Description fixed_map() {
  cool::Description map;
  map.label = kFile;
  map.bins = genome::BinTable::uniform({{"chr1", 61'500}, {"chr2", 25'000}}, 1000);
  map.n_pixels = 7000;
  map.attributes = {text_value()};
  map.bin_columns = {{"weight", {Bytes(8), false, {87}, Bytes(87 * 8), {}}, {text_value()}}};
  map.fields = {{"count", NumberType::i32, true, 1000, true, 6}};
  map.notes = {"an index was rebuilt"};
  return map;
}

cool::Description variable_map() {
  cool::Description map = fixed_map();
  map.bins = genome::BinTable::explicit_bins({{"a", 35}, {"b", 20}}, {0, 2, 3}, {0, 13, 0},
                                             {13, 35, 20}, std::nullopt);
  return map;
}

reader::Job job() {
  reader::Job job;
  job.file = kFile;
  job.group = "/";
  job.fields = {"count"};
  job.n_pixels = 7000;
  job.n_bins = 87;
  job.slot_bytes = 1 << 20;
  reader::JobLevel level;
  level.n_bins = 44;
  level.n_ids = 87;
  level.fields.resize(1);
  job.levels = {level};
  return job;
}

}  // namespace

Bytes bytes_of(std::string_view text) { return as_stored(std::span(text)); }

std::vector<Bytes> texts(std::initializer_list<std::string_view> seeds) {
  std::vector<Bytes> all;
  for (const std::string_view seed : seeds) all.push_back(bytes_of(seed));
  return all;
}

std::vector<Bytes> message_seeds() {
  reader::Block block{
      .slot = 3, .level = 1, .n_runs = 2, .n_pixels = 5, .forms = {}, .exact_total = 2.5};
  block.forms = {reader::ValueForm::i32, reader::ValueForm::f64};
  h5::OutlinedObject object;
  object.name = "count";
  object.depth = 2;
  object.is_group = false;
  object.shape = {7000};
  object.type = "int32";
  object.stored_bytes = 6000;
  object.attributes = {{"unit", true, std::vector<std::string>{"contacts"}}};
  return {
      message(Message::outline_request, reader::OutlineRequest{kFile, "/", 2}),
      message(Message::outline, std::vector<h5::OutlinedObject>{object}),
      message(Message::open_request, reader::OpenRequest{kFile, "/", 1 << 20}),
      message(Message::opened, reader::Opened{fixed_map(), {"name"}, {"weight"}}),
      message(Message::column_request, reader::ColumnRequest{"bins", "weight"}),
      message(Message::plain_column, TableColumn(std::vector<double>{0.5, 1.25})),
      message(Message::look_up, reader::LookUp{{"count"}, 0, 10, 5, 87}),
      message(Message::describe_request, reader::DescribeRequest{kFile, "/", {"count"}}),
      message(Message::description, fixed_map()),
      message(Message::description, variable_map()),
      message(Message::job, job()),
      message(Message::block, block),
      message(Message::stored, reader::Stored{1, {{0, 0, 4, 100, 0, 100}}}),
      message(Message::fault, reader::Fault{ErrorCode::format, "row 3 repeats a pixel"}),
      message(Message::texts, std::vector<std::string>{"/resolutions/1000", "/"}),
      message(Message::attribute_texts, std::vector<reader::AttributeText>{{"nnz", "7000", true}})};
}

std::vector<Bytes> frame_seeds() {
  std::vector<Bytes> all;
  for (const std::string_view text : {"", "payload", "a longer payload with \0 in it"}) {
    const auto payload = std::as_bytes(std::span(text));
    Bytes frame = to_bytes(wire::encode_header(7, payload));
    frame.insert(frame.end(), payload.begin(), payload.end());
    all.push_back(frame);
  }
  return all;
}

std::vector<Bytes> journal_seeds() {
  const Bytes header = h5::encode_header({.old_bytes = 4096, .head_bytes = 16, .head_crc = 5});
  h5::ByteRanges overwrites;
  overwrites.put(0, bytes_of("first bytes"));
  overwrites.put(2048, bytes_of("others"));
  Bytes whole = header;
  const Bytes commit = h5::encode_commit(header, overwrites, {.new_bytes = 5000, .append_crc = 17});
  whole.insert(whole.end(), commit.begin(), commit.end());
  return {header, whole};
}

std::vector<Bytes> gzip_seeds() {
  const Bytes one = deflated(bytes_of("chr1\t0\t1000\nchr2\t500\t900\n"), 31);
  Bytes two = one;
  two.insert(two.end(), one.begin(), one.end());
  two.insert(two.end(), 512, std::byte{0});
  return {one, two, deflated({}, 31)};
}

std::vector<Bytes> zlib_seeds() {
  // The first two bytes are the inflated size.
  std::vector<Bytes> all;
  for (const Bytes& content : element_seeds()) {
    const auto size = static_cast<std::uint16_t>(content.size());
    Bytes seed = as_stored(std::span(&size, 1));
    const Bytes packed = deflated(content, 15);
    seed.insert(seed.end(), packed.begin(), packed.end());
    all.push_back(seed);
  }
  return all;
}

std::vector<Bytes> element_seeds() {
  std::vector<std::int32_t> counts;
  std::vector<std::int64_t> ids;
  for (std::int32_t i = 0; i < 500; ++i) {
    counts.push_back(1 + (i % 7 == 0 ? i : 0));
    ids.push_back(i + i / 3);
  }
  const std::vector<double> reals{0.5, -1.25, 1e300, 0.0};
  return {as_stored(std::span<const std::int32_t>(counts)),
          as_stored(std::span<const std::int64_t>(ids)), as_stored(std::span<const double>(reals)),
          Bytes(3000), Bytes{}};
}

}  // namespace ziggurat::fuzz
