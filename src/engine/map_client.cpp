#include "engine/map_client.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/check.hpp"
#include "engine/reader_faults.hpp"
#include "h5/journal.hpp"
#include "proc/wait.hpp"
#include "reader/main.hpp"

namespace ziggurat::engine {

using reader::Kind;
using namespace std::chrono_literals;

namespace {

// How often a waiting caller is asked whether to stop.
constexpr auto kPollInterval = 100ms;
// Offsets asked for at a time.
constexpr std::int64_t kWindowRows = std::int64_t{1} << 20;

proc::Child start_reader(const std::string& program, const proc::SharedMemory& slots) {
  proc::SpawnRequest request{program, reader::reader_arguments(), "the reader", {slots.fd()}};
  request.arguments.emplace_back(reader::kServeOption);
  return proc::Child::spawn(request);
}

// What an interrupted change of the file left is settled before anybody looks at it.
const std::string& settled(const std::string& file) {
  h5::recover(file);
  return file;
}

}  // namespace

MapClient::MapClient(const std::string& program, const genome::Uri& uri, std::uint64_t slot_bytes,
                     Observer& observer)
    : file_(settled(uri.file)),
      owner_(::getpid()),
      slot_bytes_(slot_bytes),
      slots_(proc::SharedMemory::create("ziggurat-slots", slot_bytes * reader::kSlots)),
      child_(start_reader(program, slots_)) {
  wire::Encoder message;
  encode(reader::OpenRequest{uri.file, uri.group, slot_bytes}, message);
  send(Kind::open, message, observer);
  const wire::Frame frame = expect(Kind::opened, observer);
  wire::Decoder in(frame.payload);
  opened_ = reader::decode_opened(in);
}

bool MapClient::usable() { return owner_ == ::getpid() && !child_.try_wait(); }

void MapClient::send(Kind kind, const wire::Encoder& message, Observer& observer) {
  try {
    child_.channel().send(static_cast<std::uint16_t>(kind), message.payload());
  } catch (const Error&) {
    // It is gone. What it had to say, or how it died, tells more than a broken pipe.
    receive(observer);
    report_death(child_, file_, observer);
  }
}

wire::Frame MapClient::receive(Observer& observer) {
  const std::array<int, 1> fds{child_.channel().fd()};
  while (proc::wait_readable(fds, kPollInterval).empty()) {
    if (observer.cancelled()) fail(ErrorCode::cancelled, "stopped");
  }
  std::optional<wire::Frame> frame;
  try {
    frame = child_.channel().receive();
  } catch (const Error&) {
    // Half a message: how the reader died tells more.
  }
  if (!frame) report_death(child_, file_, observer);
  if (frame->kind == static_cast<std::uint16_t>(Kind::fault)) throw_fault(*frame, file_);
  return std::move(*frame);
}

wire::Frame MapClient::expect(Kind kind, Observer& observer) {
  wire::Frame frame = receive(observer);
  if (frame.kind != static_cast<std::uint16_t>(kind)) {
    fail(ErrorCode::worker, "{} answered with message {}", child_.label(), frame.kind);
  }
  return frame;
}

TableColumn MapClient::column(const std::string& table, const std::string& name,
                              Observer& observer) {
  wire::Encoder message;
  encode(reader::ColumnRequest{table, name}, message);
  send(Kind::column, message, observer);
  const wire::Frame frame = expect(Kind::column_values, observer);
  wire::Decoder in(frame.payload);
  return reader::decode_plain_column(in);
}

std::vector<std::int64_t> MapClient::row_offsets(std::int64_t first, std::int64_t end,
                                                 Observer& observer) {
  std::vector<std::int64_t> offsets;
  do {
    const std::int64_t window_end = std::min(end, first + kWindowRows);
    wire::Encoder message;
    message.put(
        reader::RowSpan{static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(window_end)});
    send(Kind::row_offsets, message, observer);
    const wire::Frame frame = expect(Kind::offsets, observer);
    wire::Decoder in(frame.payload);
    const std::vector<std::int64_t> window = in.get_vector<std::int64_t>();
    if (window.size() != static_cast<std::size_t>(window_end - first) + 1) {
      fail(ErrorCode::worker, "{} sent {} offsets", child_.label(), window.size());
    }
    if (!offsets.empty()) offsets.pop_back();
    offsets.insert(offsets.end(), window.begin(), window.end());
    first = window_end;
  } while (first < end);
  return offsets;
}

void MapClient::start(const reader::LookUp& question, Observer& observer) {
  if (answering_) fail(ErrorCode::internal, "a reader was asked while it answers");
  question_ = question;
  last_row_ = question.first_row;
  wire::Encoder message;
  encode(question, message);
  send(Kind::look_up, message, observer);
  answering_ = true;
}

const MapClient::Answer* MapClient::next(Observer& observer) {
  if (answer_) {
    wire::Encoder message;
    message.put(answer_->block.slot);
    answer_.reset();
    send(Kind::slot_free, message, observer);
  }
  if (!answering_) return nullptr;
  const wire::Frame frame = receive(observer);
  if (frame.kind == static_cast<std::uint16_t>(Kind::looked_up)) {
    answering_ = false;
    return nullptr;
  }
  if (frame.kind != static_cast<std::uint16_t>(Kind::block)) {
    fail(ErrorCode::worker, "{} answered with message {}", child_.label(), frame.kind);
  }
  wire::Decoder in(frame.payload);
  reader::Block block = reader::decode_block(in);
  if (block.slot >= reader::kSlots) {
    fail(ErrorCode::worker, "{} sent slot {}", child_.label(), block.slot);
  }
  reader::BlockView view =
      reader::view_block(block, slots_.bytes().subspan(block.slot * slot_bytes_, slot_bytes_));
  answer_ = Answer{std::move(block), std::move(view)};
  check(*answer_);
  return &*answer_;
}

// Callers take ids for indexes; a reader that was led astray must not lead them.
void MapClient::check(const Answer& answer) {
  bool sound = answer.block.forms.size() == question_.fields.size();
  for (const RowRun run : answer.view.runs) {
    sound = sound && run.row >= last_row_ && run.row < question_.end_row;
    last_row_ = run.row;
  }
  const auto& columns = answer.view.columns;
  if (!columns.empty()) {
    const auto [least, most] = std::minmax_element(columns.begin(), columns.end());
    sound = sound && *least >= question_.first_column && *most < question_.end_column;
  }
  if (!sound) fail(ErrorCode::worker, "{} sent pixels nobody asked for", child_.label());
}

}  // namespace ziggurat::engine
