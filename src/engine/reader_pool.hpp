// The reader processes of one source, seen from the writer.
//
// Who owns what: the pool owns the child processes and their slots; a slot's pixels are valid
// during the call that delivers them. Who wakes whom: the writer waits for the reader of the span
// it needs next, and for the death of any. How it ends: the destructor kills and reaps whatever
// still runs; an orderly end is stop(). Memory: readers x 12 slots x slot bytes.
// Spans are cut by the data alone and are delivered in order, so nothing that comes out depends on
// the number of readers.
// Thread rules: one thread, which must outlive the pool (see proc/child.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/shared_tables.hpp"
#include "proc/child.hpp"
#include "proc/shared_memory.hpp"
#include "reader/protocol.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat::engine {

// A row's columns do not ascend: the pass must begin anew with sorting.
struct NeedsSorting {
  std::string text;
};

// What comes out of the readers, in table order.
class BlockSink {
 public:
  virtual ~BlockSink() = default;
  virtual void add(const reader::Block& block, const reader::BlockView& view) = 0;
  virtual void add_stored(const reader::StoredPiece& piece, std::span<const std::byte> bytes) = 0;
  // A span is complete: `done` pixels of the source so far.
  virtual void span_done(const reader::SpanTally& tally, std::uint64_t done) = 0;
};

// One question about a file to a short-lived reader, and its answer. Throws the reader's fault, and
// Error{worker}.
[[nodiscard]] wire::Frame ask_reader(const std::string& program, const std::string& file,
                                     const wire::Encoder& message, reader::Kind question,
                                     reader::Kind answer, Observer& observer);
[[nodiscard]] wire::Frame ask_reader(const std::string& program,
                                     const reader::DescribeRequest& request, reader::Kind question,
                                     reader::Kind answer, Observer& observer);
// Asks what a source holds. Throws what describe() throws, and Error{worker}.
[[nodiscard]] cool::Description describe_source(const std::string& program,
                                                const reader::DescribeRequest& request,
                                                Observer& observer);

class ReaderPool {
 public:
  // Starts `n` readers of `program` on the job. `tables` must outlive the pool.
  ReaderPool(const std::string& program, int n, const reader::Job& job, const SharedTables& tables,
             Observer& observer);

  // Proves the row ids of the whole source and fills in the shared row offsets. Returns what the
  // source's own index is worth.
  reader::IndexState prove_rows();
  // Reads the spans and gives everything to `sink` in order. Throws NeedsSorting, or the first
  // fault in table order.
  void read(const std::vector<reader::RowSpan>& spans, BlockSink& sink);
  // The readers end by themselves, and this thread's meter takes in what they did.
  void stop();

 private:
  struct Reader {
    proc::Child child;
    proc::SharedMemory slots;
    bool ended = false;
  };

  void send(Reader& reader, reader::Kind kind, const wire::Encoder& message);
  template <typename Message>
  void send_value(Reader& reader, reader::Kind kind, const Message& message);
  // The next message of this reader; anything but a fault.
  wire::Frame receive(Reader& reader);
  template <typename Message>
  Message expect(Reader& reader, reader::Kind kind);
  void wait_for(Reader& reader);
  void check_deaths(Reader& awaited);
  // True when the message ended the span.
  bool deliver(Reader& reader, const wire::Frame& frame, BlockSink& sink);
  [[nodiscard]] std::span<const std::byte> slot(const Reader& reader, std::uint32_t index) const;

  const reader::Job& job_;
  const SharedTables& tables_;
  Observer& observer_;
  std::vector<std::unique_ptr<Reader>> readers_;
  std::uint64_t done_ = 0;  // pixels of the spans delivered
};

}  // namespace ziggurat::engine
