#include "reader/slot_sender.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "reader/batch_block.hpp"

namespace ziggurat::reader {

namespace {

void copy_values(const coarsen::PixelBatch& batch, std::size_t field, std::size_t first,
                 std::size_t n, std::byte* out) {
  if (batch.compact) {
    std::memcpy(out, batch.counts.data() + first, n * sizeof(std::int32_t));
    return;
  }
  std::visit(
      [&](const auto& values) {
        std::memcpy(out, values.data() + first, n * sizeof(values.front()));
      },
      batch.values[field]);
}

}  // namespace

SlotSender::SlotSender(proc::Channel& channel, std::span<std::byte> slots, std::uint64_t slot_bytes)
    : channel_(channel), slots_(slots), slot_bytes_(slot_bytes) {
  for (std::uint32_t i = 0; i < kSlots; ++i) free_.push_back(kSlots - 1 - i);
}

std::span<std::byte> SlotSender::slot(std::uint32_t index) const {
  return slots_.subspan(index * slot_bytes_, slot_bytes_);
}

void SlotSender::send(Kind kind, const wire::Encoder& message) {
  count({.items = 1});
  channel_.send(static_cast<std::uint16_t>(kind), message.payload());
}

wire::Frame SlotSender::receive() {
  const WaitScope waiting;
  std::optional<wire::Frame> frame = channel_.receive();
  if (!frame) fail(ErrorCode::worker, "the writer is gone");
  return std::move(*frame);
}

std::uint32_t SlotSender::acquire() {
  while (free_.empty()) {
    wire::Frame frame = receive();
    if (frame.kind == static_cast<std::uint16_t>(Kind::slot_free)) {
      free_.push_back(wire::Decoder(frame.payload).get<std::uint32_t>());
    } else {
      orders_.push_back(std::move(frame));
    }
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

wire::Frame SlotSender::next_order() {
  while (orders_.empty()) {
    wire::Frame frame = receive();
    if (frame.kind != static_cast<std::uint16_t>(Kind::slot_free)) return frame;
    free_.push_back(wire::Decoder(frame.payload).get<std::uint32_t>());
  }
  wire::Frame frame = std::move(orders_.front());
  orders_.pop_front();
  return frame;
}

void SlotSender::send_pixels(std::uint32_t level, const coarsen::PixelBatch& batch) {
  const StageScope stage(Stage::hand_over);
  for (Cursor cursor; cursor.pixel < batch.size();) send_part(level, batch, cursor);
}

// Takes as many runs as fit the slot; the last of them may be taken in part.
void SlotSender::send_part(std::uint32_t level, const coarsen::PixelBatch& batch, Cursor& cursor) {
  Block block;
  block.level = level;
  block.forms = forms_of(batch);
  if (cursor.pixel == 0) block.exact_total = batch.exact_total;
  std::uint64_t pixel_bytes = sizeof(std::uint32_t);
  for (const ValueForm form : block.forms) pixel_bytes += size_of(form);
  // Each part may be padded to a multiple of 8.
  std::uint64_t room = slot_bytes_ - 8 * (2 + block.forms.size());
  runs_.clear();
  const std::size_t first = cursor.pixel;
  while (cursor.run < batch.runs.size() && room >= sizeof(RowRun) + pixel_bytes) {
    const RowRun run = batch.runs[cursor.run];
    if (run.n == 0) {
      ++cursor.run;
      continue;
    }
    const auto fitting = static_cast<std::uint32_t>(
        std::min<std::uint64_t>((room - sizeof(RowRun)) / pixel_bytes, run.n - cursor.taken));
    runs_.push_back({run.row, fitting});
    room -= sizeof(RowRun) + fitting * pixel_bytes;
    cursor.taken += fitting;
    cursor.pixel += fitting;
    if (cursor.taken < run.n) break;
    ++cursor.run;
    cursor.taken = 0;
  }
  block.n_runs = runs_.size();
  block.n_pixels = cursor.pixel - first;
  if (block.n_pixels == 0)
    fail(ErrorCode::internal, "a slot of {} bytes holds no pixel", slot_bytes_);
  block.slot = acquire();
  std::byte* out = slot(block.slot).data();
  const std::vector<std::uint64_t> offsets = block_offsets(block);
  std::memcpy(out, runs_.data(), runs_.size() * sizeof(RowRun));
  std::memcpy(out + offsets[1], batch.columns.data() + first,
              block.n_pixels * sizeof(std::uint32_t));
  for (std::size_t f = 0; f < block.forms.size(); ++f) {
    copy_values(batch, f, first, block.n_pixels, out + offsets[2 + f]);
  }
  count({.pixels = block.n_pixels, .bytes_out = offsets.back()});
  wire::Encoder message;
  encode(block, message);
  send(Kind::block, message);
}

void SlotSender::add_stored(std::uint32_t column, const cool::StoredChunk& chunk) {
  const StageScope stage(Stage::hand_over);
  for (std::uint64_t done = 0; done < chunk.bytes.size();) {
    if (!stored_open_) {
      stored_.slot = acquire();
      stored_open_ = true;
      stored_bytes_ = 0;
    }
    const std::uint64_t n = std::min(slot_bytes_ - stored_bytes_, chunk.bytes.size() - done);
    std::memcpy(slot(stored_.slot).data() + stored_bytes_, chunk.bytes.data() + done, n);
    stored_.pieces.push_back({column, chunk.mask, chunk.index, chunk.bytes.size(), done, n});
    stored_bytes_ += n;
    done += n;
    if (stored_bytes_ == slot_bytes_) flush_stored();
  }
}

void SlotSender::flush_stored() {
  if (!stored_open_) return;
  const StageScope stage(Stage::hand_over);
  count({.bytes_out = stored_bytes_});
  wire::Encoder message;
  encode(stored_, message);
  send(Kind::stored, message);
  stored_.pieces.clear();
  stored_open_ = false;
}

}  // namespace ziggurat::reader
