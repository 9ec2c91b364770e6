// Fills shared-memory slots with pixels and stored chunks and hands them to the writer.
//
// A slot is the reader's until its message is sent, and again once slot_free comes back; when none
// is left the reader waits here, which is what bounds its memory and its lead.
// Thread rules: one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "coarsen/pixel_batch.hpp"
#include "cool/column_reader.hpp"
#include "proc/channel.hpp"
#include "reader/protocol.hpp"

namespace ziggurat::reader {

class SlotSender {
 public:
  SlotSender(proc::Channel& channel, std::span<std::byte> slots, std::uint64_t slot_bytes);

  void send_pixels(std::uint32_t level, const coarsen::PixelBatch& batch);
  // Adds a stored chunk of the base; it is sent when a slot is full or flush_stored() is called.
  void add_stored(std::uint32_t column, const cool::StoredChunk& chunk);
  void flush_stored();

  // The next message that is not about slots, from those that came in the meantime or waiting for
  // it. Throws Error{worker} when the writer is gone.
  [[nodiscard]] wire::Frame next_order();

 private:
  // Position in a batch: run, pixels already taken of it, pixel.
  struct Cursor {
    std::size_t run = 0;
    std::uint32_t taken = 0;
    std::size_t pixel = 0;
  };

  std::uint32_t acquire();
  wire::Frame receive();
  [[nodiscard]] std::span<std::byte> slot(std::uint32_t index) const;
  void send_part(std::uint32_t level, const coarsen::PixelBatch& batch, Cursor& cursor);
  void send(Kind kind, const wire::Encoder& message);

  proc::Channel& channel_;
  std::span<std::byte> slots_;
  std::uint64_t slot_bytes_;
  std::vector<std::uint32_t> free_;
  std::deque<wire::Frame> orders_;
  Stored stored_;  // pieces in the slot that is being filled
  bool stored_open_ = false;
  std::uint64_t stored_bytes_ = 0;
  std::vector<RowRun> runs_;
};

}  // namespace ziggurat::reader
