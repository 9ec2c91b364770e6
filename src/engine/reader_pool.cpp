#include "engine/reader_pool.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "base/check.hpp"
#include "engine/patience.hpp"
#include "engine/reader_faults.hpp"
#include "h5/journal.hpp"
#include "proc/wait.hpp"
#include "reader/main.hpp"

namespace ziggurat::engine {

using reader::Kind;
using namespace std::chrono_literals;

namespace {

// How often a waiting writer asks whether it was cancelled.
constexpr auto kPollInterval = 100ms;
// How often a reader that has said its last word is looked at: it ends at once but for a file
// system that hangs in closing the map.
constexpr auto kEndInterval = 1ms;

void wait_for_answer(proc::Child& child, const std::string& file, Observer& observer) {
  Patience patience(child.label() + " of " + file, observer);
  const std::array<int, 1> fds{child.channel().fd()};
  while (proc::wait_readable(fds, kPollInterval).empty()) patience.waited(kPollInterval);
}

proc::ExitStatus end_of(proc::Child& child, const std::string& file, Observer& observer) {
  Patience patience(child.label() + " of " + file, observer);
  for (;;) {
    if (const auto status = child.try_wait()) return *status;
    std::this_thread::sleep_for(kEndInterval);
    patience.waited(kEndInterval);
  }
}

}  // namespace

wire::Frame ask_reader(const std::string& program, const std::string& file,
                       const wire::Encoder& message, Kind question, Kind answer,
                       Observer& observer) {
  // Every look at a file begins here: what an interrupted change of it left is settled first.
  h5::recover(file);
  proc::Child child = proc::Child::spawn({program, reader::reader_arguments(), "the reader", {}});
  std::optional<wire::Frame> frame;
  try {
    child.channel().send(static_cast<std::uint16_t>(question), message.payload());
  } catch (const Error&) {
    // It is gone. What it had to say, or how it died, tells more than a broken pipe.
  }
  const WaitScope waiting;
  wait_for_answer(child, file, observer);
  try {
    frame = child.channel().receive();
  } catch (const Error&) {
    // A broken pipe or half an answer: how the reader died tells more.
  }
  if (!frame) report_death(child, file, observer);
  if (frame->kind == static_cast<std::uint16_t>(Kind::fault)) throw_fault(*frame, file);
  if (frame->kind != static_cast<std::uint16_t>(answer)) {
    fail(ErrorCode::worker, "a reader answered with message {}", frame->kind);
  }
  return std::move(*frame);
}

wire::Frame ask_reader(const std::string& program, const reader::DescribeRequest& request,
                       Kind question, Kind answer, Observer& observer) {
  wire::Encoder message;
  encode(request, message);
  return ask_reader(program, request.file, message, question, answer, observer);
}

cool::Description describe_source(const std::string& program,
                                  const reader::DescribeRequest& request, Observer& observer) {
  const wire::Frame answer =
      ask_reader(program, request, Kind::describe, Kind::description, observer);
  wire::Decoder in(answer.payload);
  return reader::decode_description(in);
}

ReaderPool::ReaderPool(const std::string& program, int n, const reader::Job& job,
                       const SharedTables& tables, Observer& observer)
    : job_(job), tables_(tables), observer_(observer) {
  wire::Encoder message;
  encode(job, message);
  const StageScope stage(Stage::take_in);
  for (int i = 0; i < n; ++i) {
    proc::SharedMemory slots =
        proc::SharedMemory::create("ziggurat-slots", job.slot_bytes * reader::kSlots);
    proc::SpawnRequest request{
        program, reader::reader_arguments(), fmt::format("reader {}", i + 1), {}};
    request.inherited_fds = {tables.memory().fd(), slots.fd()};
    readers_.push_back(
        std::make_unique<Reader>(Reader{proc::Child::spawn(request), std::move(slots), false}));
    send(*readers_.back(), Kind::job, message);
  }
}

void ReaderPool::send(Reader& reader, Kind kind, const wire::Encoder& message) {
  try {
    reader.child.channel().send(static_cast<std::uint16_t>(kind), message.payload());
  } catch (const Error&) {
    // It is gone. What it had to say, or how it died, tells more than a broken pipe.
    receive(reader);
    report_death(reader.child, job_.file, observer_);
  }
}

template <typename Message>
void ReaderPool::send_value(Reader& reader, Kind kind, const Message& message) {
  wire::Encoder out;
  out.put(message);
  send(reader, kind, out);
}

// A reader that ended by itself has said why, and that is read in its turn; one that was killed has
// not, and waiting for its turn would only take longer.
void ReaderPool::check_deaths(Reader& awaited) {
  for (const auto& reader : readers_) {
    if (reader.get() == &awaited || reader->ended) continue;
    const std::optional<proc::ExitStatus> status = reader->child.try_wait();
    if (!status) continue;
    reader->ended = true;
    if (status->kind != proc::ExitStatus::Kind::exited) {
      report_death(reader->child.label(), job_.file, *status, observer_);
    }
  }
}

void ReaderPool::wait_for(Reader& reader) {
  const WaitScope waiting;
  if (observer_.cancelled()) fail(ErrorCode::cancelled, "stopped");
  Patience patience(reader.child.label() + " of " + job_.file, observer_);
  const std::array<int, 1> fds{reader.child.channel().fd()};
  while (proc::wait_readable(fds, kPollInterval).empty()) {
    patience.waited(kPollInterval);
    check_deaths(reader);
  }
}

wire::Frame ReaderPool::receive(Reader& reader) {
  const StageScope stage(Stage::take_in);
  wait_for(reader);
  std::optional<wire::Frame> frame;
  try {
    frame = reader.child.channel().receive();
  } catch (const Error&) {
    // Half a message: how the reader died tells more.
  }
  if (!frame) report_death(reader.child, job_.file, observer_);
  count({.items = 1});
  if (frame->kind == static_cast<std::uint16_t>(Kind::fault)) throw_fault(*frame, job_.file);
  if (frame->kind == static_cast<std::uint16_t>(Kind::unsorted)) {
    throw NeedsSorting{wire::Decoder(frame->payload).get_string()};
  }
  return std::move(*frame);
}

template <typename Message>
Message ReaderPool::expect(Reader& reader, Kind kind) {
  const wire::Frame frame = receive(reader);
  if (frame.kind != static_cast<std::uint16_t>(kind)) {
    fail(ErrorCode::worker, "{} answered with message {}", reader.child.label(), frame.kind);
  }
  return wire::Decoder(frame.payload).get<Message>();
}

reader::IndexState ReaderPool::prove_rows() {
  const std::span<std::int64_t> offsets = tables_.row_offsets();
  const auto n_bins = static_cast<std::int64_t>(job_.n_bins);
  const auto n = static_cast<std::uint64_t>(readers_.size());
  std::vector<std::pair<Reader*, reader::PixelRange>> parts;
  for (std::uint64_t i = 0; i < n; ++i) {
    // Cut at multiples of a power of two, so that neighbours seldom decode the same chunk.
    const auto cut = [&](std::uint64_t k) {
      return k == n ? job_.n_pixels : job_.n_pixels / n * k / 65536 * 65536;
    };
    const reader::PixelRange range{cut(i), cut(i + 1)};
    if (range.first == range.end) continue;
    parts.emplace_back(readers_[i].get(), range);
    send_value(*readers_[i], Kind::prove, range);
  }
  std::int64_t last_row = -1;
  for (const auto& [reader, range] : parts) {
    const auto proven = expect<reader::Proven>(*reader, Kind::proven);
    const auto first_row = static_cast<std::int64_t>(proven.first_row);
    if (first_row < last_row) {
      fail(ErrorCode::format, "{}: pixel {} is in row {} after row {}: rows must ascend", job_.file,
           range.first, first_row, last_row);
    }
    std::fill(offsets.begin() + last_row + 1, offsets.begin() + first_row + 1,
              static_cast<std::int64_t>(range.first));
    last_row = static_cast<std::int64_t>(proven.last_row);
  }
  std::fill(offsets.begin() + last_row + 1, offsets.begin() + n_bins + 1,
            static_cast<std::int64_t>(job_.n_pixels));
  send(*readers_.front(), Kind::compare_index, {});
  return expect<reader::IndexState>(*readers_.front(), Kind::index_compared);
}

std::span<const std::byte> ReaderPool::slot(const Reader& reader, std::uint32_t index) const {
  if (index >= reader::kSlots) fail(ErrorCode::worker, "a reader sent slot {}", index);
  return reader.slots.bytes().subspan(index * job_.slot_bytes, job_.slot_bytes);
}

bool ReaderPool::deliver(Reader& reader, const wire::Frame& frame, BlockSink& sink) {
  wire::Decoder in(frame.payload);
  switch (static_cast<Kind>(frame.kind)) {
    case Kind::block: {
      const reader::Block block = reader::decode_block(in);
      sink.add(block, reader::view_block(block, slot(reader, block.slot)));
      send_value(reader, Kind::slot_free, block.slot);
      return false;
    }
    case Kind::stored: {
      const reader::Stored stored = reader::decode_stored(in);
      std::span<const std::byte> rest = slot(reader, stored.slot);
      for (const reader::StoredPiece& piece : stored.pieces) {
        if (piece.bytes > rest.size()) fail(ErrorCode::worker, "a reader overfilled its slot");
        sink.add_stored(piece, rest.first(piece.bytes));
        rest = rest.subspan(piece.bytes);
      }
      send_value(reader, Kind::slot_free, stored.slot);
      return false;
    }
    case Kind::span_done: {
      const auto tally = in.get<reader::SpanTally>();
      done_ += tally.n_pixels;
      sink.span_done(tally, done_);
      return true;
    }
    default:
      fail(ErrorCode::worker, "{} sent message {}", reader.child.label(), frame.kind);
  }
}

void ReaderPool::read(const std::vector<reader::RowSpan>& spans, BlockSink& sink) {
  const std::size_t n = readers_.size();
  const auto owner = [&](std::size_t span) -> Reader& { return *readers_[span % n]; };
  const auto assign = [&](std::size_t span) {
    if (span < spans.size()) send_value(owner(span), Kind::span, spans[span]);
  };
  for (std::size_t s = 0; s < n * reader::kSpansAhead; ++s) assign(s);
  for (std::size_t s = 0; s < spans.size(); ++s) {
    while (!deliver(owner(s), receive(owner(s)), sink)) {
    }
    assign(s + n * reader::kSpansAhead);
  }
}

void ReaderPool::stop() {
  for (const auto& reader : readers_) {
    send(*reader, Kind::stop, {});
    const auto spent = expect<reader::Spent>(*reader, Kind::spent);
    if (Meter* meter = Meter::current()) {
      meter->add({reader->child.label(), 1, spent.stages, spent.usage});
    }
    const proc::ExitStatus status = end_of(reader->child, job_.file, observer_);
    if (!status.success()) {
      report_death(reader->child.label(), job_.file, status, observer_);
    }
  }
}

}  // namespace ziggurat::engine
