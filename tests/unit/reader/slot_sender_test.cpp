#include "reader/slot_sender.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <thread>

#include "ziggurat/error.hpp"

namespace ziggurat::reader {
namespace {

struct Pixel {
  std::uint32_t row;
  std::uint32_t column;
  double value;

  friend bool operator==(const Pixel&, const Pixel&) = default;
};

constexpr std::uint16_t kind(Kind kind) { return static_cast<std::uint16_t>(kind); }

double value_at(std::span<const std::byte> values, ValueForm form, std::size_t i) {
  const auto as = [&]<typename Number>(Number number) {
    std::memcpy(&number, values.data() + i * sizeof number, sizeof number);
    return static_cast<double>(number);
  };
  switch (form) {
    case ValueForm::i32:
      return as(std::int32_t{});
    case ValueForm::i64:
      return as(std::int64_t{});
    case ValueForm::f32:
      return as(float{});
    case ValueForm::f64:
      break;
  }
  return as(double{});
}

// The writer's part: takes what comes, overwrites each slot before it gives it back.
class Writer {
 public:
  Writer(proc::Channel channel, std::span<std::byte> slots, std::uint64_t slot_bytes)
      : channel_(std::move(channel)), slots_(slots), slot_bytes_(slot_bytes) {}

  // Until the reader will send no more.
  void play() {
    while (const std::optional<wire::Frame> frame = channel_.receive()) {
      if (frame->kind == kind(Kind::block)) take_block(*frame);
      if (frame->kind == kind(Kind::stored)) take_stored(*frame);
    }
  }

  std::vector<Pixel> pixels;
  std::vector<std::size_t> block_sizes;
  std::vector<std::optional<double>> totals;
  std::map<std::uint64_t, std::string> chunks;
  bool pieces_in_order = true;

 private:
  std::span<std::byte> slot(std::uint32_t index) {
    return slots_.subspan(index * slot_bytes_, slot_bytes_);
  }

  void take_block(const wire::Frame& frame) {
    wire::Decoder in(frame.payload);
    const Block block = decode_block(in);
    const BlockView view = view_block(block, slot(block.slot));
    std::size_t i = 0;
    for (const RowRun run : view.runs) {
      for (std::uint32_t k = 0; k < run.n; ++k, ++i) {
        pixels.push_back({run.row, view.columns[i], value_at(view.values[0], block.forms[0], i)});
      }
    }
    block_sizes.push_back(i);
    totals.push_back(block.exact_total);
    give_back(block.slot);
  }

  void take_stored(const wire::Frame& frame) {
    wire::Decoder in(frame.payload);
    const Stored stored = decode_stored(in);
    std::uint64_t at = 0;
    for (const StoredPiece& piece : stored.pieces) {
      std::string& chunk = chunks[piece.column * 100 + piece.chunk];
      pieces_in_order = pieces_in_order && piece.offset == chunk.size();
      const auto bytes = slot(stored.slot).subspan(at, piece.bytes);
      chunk.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      at += piece.bytes;
    }
    give_back(stored.slot);
  }

  void give_back(std::uint32_t index) {
    std::memset(slot(index).data(), 0xee, slot_bytes_);
    wire::Encoder out;
    out.put(index);
    channel_.send(kind(Kind::slot_free), out.payload());
  }

  proc::Channel channel_;
  std::span<std::byte> slots_;
  std::uint64_t slot_bytes_;
};

// Ends what the writer hears, also when a test fails half way.
class HangUp {
 public:
  explicit HangUp(const proc::Channel& channel) : channel_(channel) {}
  HangUp(const HangUp&) = delete;
  HangUp& operator=(const HangUp&) = delete;
  ~HangUp() { ::shutdown(channel_.fd(), SHUT_WR); }

 private:
  const proc::Channel& channel_;
};

// A reader's sender that did `work`, and what its writer got.
template <typename Work>
Writer after(std::uint64_t slot_bytes, Work work) {
  std::vector<std::byte> slots(slot_bytes * kSlots);
  auto [near, far] = proc::make_channel_pair("reader", "writer");
  Writer writer(std::move(near), slots, slot_bytes);
  {
    const std::jthread thread([&] { writer.play(); });
    const HangUp hang_up(far);
    SlotSender sender(far, slots, slot_bytes);
    work(sender);
  }
  return writer;
}

// Rows of 1, 2, ... 9 pixels, again and again.
template <typename Number>
std::vector<Pixel> fill(coarsen::PixelBatch& batch, std::vector<Number>& values,
                        std::uint32_t rows) {
  std::vector<Pixel> pixels;
  for (std::uint32_t row = 0; row < rows; ++row) {
    batch.runs.push_back({row, 1 + row % 9});
    for (std::uint32_t k = 0; k < 1 + row % 9; ++k) {
      const auto value = static_cast<Number>(pixels.size() + 1);
      batch.columns.push_back(row + k);
      values.push_back(value);
      pixels.push_back({row, row + k, static_cast<double>(value)});
    }
  }
  return pixels;
}

template <typename Number>
std::vector<Pixel> fill_general(coarsen::PixelBatch& batch, std::uint32_t rows) {
  std::vector<Number> values;
  std::vector<Pixel> pixels = fill(batch, values, rows);
  batch.compact = false;
  batch.values.emplace_back(std::move(values));
  return pixels;
}

}  // namespace

TEST_CASE("rows are split over slots that hold few pixels") {
  coarsen::PixelBatch batch;
  std::vector<std::int32_t> counts;
  const std::vector<Pixel> pixels = fill(batch, counts, 300);
  batch.counts.assign(counts.begin(), counts.end());
  // A run takes 8 bytes and a pixel 8; up to 24 are lost to padding.
  for (const std::uint64_t slot_bytes : {40U, 48U, 64U, 200U, 1000U, 100000U}) {
    const Writer writer =
        after(slot_bytes, [&](SlotSender& sender) { sender.send_pixels(0, batch); });
    INFO("slots of " << slot_bytes << " bytes");
    CHECK(writer.pixels == pixels);
    for (const std::size_t n : writer.block_sizes) {
      CHECK(n > 0);
      CHECK(8 + n * 8 <= slot_bytes);
    }
  }
}

TEST_CASE("slots are filled as far as rows go") {
  coarsen::PixelBatch batch;
  batch.runs = {{5, 10}};
  for (std::uint32_t i = 0; i < 10; ++i) {
    batch.columns.push_back(i);
    batch.counts.push_back(1);
  }
  // (64 - 24 - 8) / 8 pixels each.
  const Writer writer = after(64, [&](SlotSender& sender) { sender.send_pixels(0, batch); });
  CHECK(writer.block_sizes == std::vector<std::size_t>{4, 4, 2});
}

TEMPLATE_TEST_CASE("values travel in the form they have", "", std::int64_t, float, double) {
  coarsen::PixelBatch batch;
  const std::vector<Pixel> pixels = fill_general<TestType>(batch, 50);
  const Writer writer = after(72, [&](SlotSender& sender) { sender.send_pixels(0, batch); });
  CHECK(writer.pixels == pixels);
}

TEST_CASE("an exact total goes with the first block alone") {
  coarsen::PixelBatch batch;
  fill_general<double>(batch, 10);
  batch.exact_total = 12.5;
  const Writer writer = after(80, [&](SlotSender& sender) { sender.send_pixels(0, batch); });
  REQUIRE(writer.totals.size() > 1);
  CHECK(writer.totals.front() == 12.5);
  CHECK_FALSE(writer.totals.at(1));
}

TEST_CASE("rows without pixels are not sent") {
  coarsen::PixelBatch batch;
  batch.runs = {{0, 0}, {1, 1}, {2, 0}, {3, 2}, {4, 0}};
  batch.columns = {5, 6, 7};
  batch.counts = {1, 2, 3};
  const Writer writer = after(200, [&](SlotSender& sender) { sender.send_pixels(0, batch); });
  CHECK(writer.pixels == std::vector<Pixel>{{1, 5, 1}, {3, 6, 2}, {3, 7, 3}});
}

TEST_CASE("a batch without pixels sends nothing") {
  coarsen::PixelBatch batch;
  const Writer writer = after(64, [&](SlotSender& sender) { sender.send_pixels(0, batch); });
  CHECK(writer.block_sizes.empty());
}

TEST_CASE("a slot that holds no pixel is refused") {
  coarsen::PixelBatch batch;
  batch.runs = {{0, 1}};
  batch.columns = {1};
  batch.counts = {1};
  after(32, [&](SlotSender& sender) { CHECK_THROWS_AS(sender.send_pixels(0, batch), Error); });
}

TEST_CASE("stored chunks come together again from their pieces") {
  const std::string small = "a small chunk";
  std::string large(1000, 'x');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>('a' + i % 26);
  const auto chunk = [](std::uint64_t index, const std::string& text) {
    return cool::StoredChunk{index, 0, std::as_bytes(std::span(text))};
  };
  const Writer writer = after(64, [&](SlotSender& sender) {
    sender.add_stored(0, chunk(3, small));
    sender.add_stored(1, chunk(3, large));
    sender.add_stored(2, chunk(4, small));
    sender.flush_stored();
    sender.flush_stored();
  });
  CHECK(writer.chunks ==
        std::map<std::uint64_t, std::string>{{3, small}, {103, large}, {204, small}});
  CHECK(writer.pieces_in_order);
}

TEST_CASE("orders that come while a slot is awaited are kept in order") {
  std::vector<std::byte> slots(64 * kSlots);
  auto [writer, far] = proc::make_channel_pair("reader", "writer");
  SlotSender sender(far, slots, 64);
  const auto free_slot = [&writer = writer](std::uint32_t index) {
    wire::Encoder out;
    out.put(index);
    writer.send(kind(Kind::slot_free), out.payload());
  };
  coarsen::PixelBatch batch;
  batch.runs = {{0, 1}};
  batch.columns = {1};
  batch.counts = {1};
  for (int i = 0; i < kSlots; ++i) sender.send_pixels(0, batch);
  writer.send(kind(Kind::span), {});
  writer.send(kind(Kind::stop), {});
  free_slot(5);
  sender.send_pixels(0, batch);
  CHECK(sender.next_order().kind == kind(Kind::span));
  free_slot(6);
  CHECK(sender.next_order().kind == kind(Kind::stop));
  std::vector<std::uint32_t> used;
  for (int i = 0; i <= kSlots; ++i) {
    const std::optional<wire::Frame> frame = writer.receive();
    REQUIRE(frame);
    wire::Decoder in(frame->payload);
    used.push_back(decode_block(in).slot);
  }
  CHECK(used.back() == 5);
  std::sort(used.begin(), used.end() - 1);
  for (std::uint32_t i = 0; i < kSlots; ++i) CHECK(used[i] == i);
}

TEST_CASE("a writer that has gone is an error, not an end") {
  std::vector<std::byte> slots(64 * kSlots);
  auto [writer, far] = proc::make_channel_pair("reader", "writer");
  SlotSender sender(far, slots, 64);
  { const proc::Channel gone = std::move(writer); }
  CHECK_THROWS_WITH(sender.next_order(), "the writer is gone");
}

}  // namespace ziggurat::reader
