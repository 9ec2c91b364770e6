#include "reader/main.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string_view>

#include "base/check.hpp"
#include "cool/description.hpp"
#include "h5/object.hpp"
#include "proc/child.hpp"
#include "proc/shared_memory.hpp"
#include "reader/map_lookup.hpp"
#include "reader/protocol.hpp"
#include "reader/slot_sender.hpp"
#include "reader/span_reader.hpp"
#include "ziggurat/version.hpp"

namespace ziggurat::reader {

namespace {

void send(proc::Channel& channel, Kind kind, const wire::Encoder& message) {
  channel.send(static_cast<std::uint16_t>(kind), message.payload());
}

// A file of a few bytes can ask for any amount of memory. Tables that are read as a whole take less
// than this for any file that was written to be read. Address space is what is limited, of which
// the sanitizers need terabytes.
void limit_memory([[maybe_unused]] const std::string& file) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr rlim_t kBase = rlim_t{768} << 20;
  constexpr rlim_t kForEachByte = 256;
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur =
      std::min(limit.rlim_cur, kBase + kForEachByte * static_cast<rlim_t>(info.st_size));
  setrlimit(RLIMIT_AS, &limit);
#endif
}

// Damage can make the HDF5 library go round in circles. What a look at a file reads as a whole
// takes seconds at most; the system ends a reader that is busy for longer.
void limit_time(const std::string& file) {
  constexpr rlim_t kBaseSeconds = 5;
  constexpr rlim_t kBytesASecond = rlim_t{4} << 20;
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return;
  rlimit limit{};
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur =
      std::min(limit.rlim_cur, kBaseSeconds + static_cast<rlim_t>(info.st_size) / kBytesASecond);
  setrlimit(RLIMIT_CPU, &limit);
}

void answer_description(proc::Channel& channel, const wire::Frame& order) {
  wire::Decoder in(order.payload);
  const DescribeRequest request = decode_describe_request(in);
  limit_memory(request.file);
  limit_time(request.file);
  const h5::File file = h5::open_readonly(request.file);
  wire::Encoder out;
  encode(cool::describe(file, request.file, request.group, request.fields), out);
  send(channel, Kind::description, out);
}

void answer_list(proc::Channel& channel, const wire::Frame& order) {
  wire::Decoder in(order.payload);
  const DescribeRequest request = decode_describe_request(in);
  limit_memory(request.file);
  limit_time(request.file);
  const h5::File file = h5::open_readonly(request.file);
  wire::Encoder out;
  encode(cool::list_collections(file), out);
  send(channel, Kind::groups, out);
}

void answer_same_map(proc::Channel& channel, const wire::Frame& order) {
  wire::Decoder in(order.payload);
  const DescribeRequest request = decode_describe_request(in);
  limit_memory(request.file);
  const h5::File file = h5::open_readonly(request.file);
  const bool same = h5::is_same_object(file.id(), request.group, request.fields.at(0));
  wire::Encoder out;
  out.put(std::uint8_t{same});
  send(channel, Kind::truth, out);
}

AttributeText to_text(const h5::NamedValue& attribute) {
  AttributeText out{attribute.name, "", true};
  if (const auto text = h5::as_text(attribute.value)) {
    out.text = *text;
    out.is_number = false;
  } else {
    out.text = h5::number_text(attribute.value);
    out.is_number = !out.text.empty();
  }
  return out;
}

void answer_attributes(proc::Channel& channel, const wire::Frame& order) {
  wire::Decoder in(order.payload);
  const DescribeRequest request = decode_describe_request(in);
  limit_memory(request.file);
  limit_time(request.file);
  const h5::File file = h5::open_readonly(request.file);
  std::vector<AttributeText> texts;
  for (const h5::NamedValue& attribute :
       cool::collection_attributes(file, request.file, request.group)) {
    texts.push_back(to_text(attribute));
  }
  wire::Encoder out;
  encode(texts, out);
  send(channel, Kind::attribute_texts, out);
}

void answer_outline(proc::Channel& channel, const wire::Frame& order) {
  wire::Decoder in(order.payload);
  const OutlineRequest request = decode_outline_request(in);
  limit_memory(request.file);
  limit_time(request.file);
  const h5::File file = h5::open_readonly(request.file);
  wire::Encoder out;
  encode(h5::outline(file, request.path, request.levels, request.file), out);
  send(channel, Kind::outlined, out);
}

// Answers one order; false when it was to stop.
bool answer(proc::Channel& channel, SpanReader& reader, const wire::Frame& order) {
  wire::Decoder in(order.payload);
  wire::Encoder out;
  switch (static_cast<Kind>(order.kind)) {
    case Kind::prove:
      out.put(reader.prove(in.get<PixelRange>()));
      send(channel, Kind::proven, out);
      return true;
    case Kind::compare_index:
      out.put(reader.compare_index());
      send(channel, Kind::index_compared, out);
      return true;
    case Kind::span:
      out.put(reader.read_span(in.get<RowSpan>()));
      send(channel, Kind::span_done, out);
      return true;
    case Kind::stop:
      out.put(Spent{Meter::current()->stages(), process_usage()});
      send(channel, Kind::spent, out);
      return false;
    default:
      fail(ErrorCode::internal, "a reader was sent message {}", order.kind);
  }
}

void do_job(proc::Channel& channel, const wire::Frame& order) {
  wire::Decoder in(order.payload);
  const Job job = decode_job(in);
  const Meter meter(Stage::orders);
  const proc::SharedMemory tables =
      proc::SharedMemory::map(proc::UniqueFd(proc::kFirstInheritedFd + kTablesFd), job.table_bytes);
  const proc::SharedMemory slots = proc::SharedMemory::map(
      proc::UniqueFd(proc::kFirstInheritedFd + kSlotsFd), job.slot_bytes * kSlots);
  SlotSender sender(channel, slots.bytes(), job.slot_bytes);
  SpanReader reader(job, tables.bytes(), sender);
  while (answer(channel, reader, sender.next_order())) {
  }
}

// Answers one question about an open map; false when it was to stop.
bool answer(proc::Channel& channel, MapLookup& map, const wire::Frame& order) {
  wire::Decoder in(order.payload);
  wire::Encoder out;
  switch (static_cast<Kind>(order.kind)) {
    case Kind::column:
      encode(map.column(decode_column_request(in)), out);
      send(channel, Kind::column_values, out);
      return true;
    case Kind::row_offsets: {
      const auto rows = in.get<RowSpan>();
      out.put_span(std::span<const std::int64_t>(map.row_offsets(rows.first_row, rows.end_row)));
      send(channel, Kind::offsets, out);
      return true;
    }
    case Kind::look_up:
      map.look_up(decode_look_up(in));
      send(channel, Kind::looked_up, out);
      return true;
    case Kind::stop:
      return false;
    default:
      fail(ErrorCode::internal, "a reader was sent message {}", order.kind);
  }
}

void serve_map(proc::Channel& channel, const wire::Frame& order) {
  wire::Decoder in(order.payload);
  const OpenRequest request = decode_open_request(in);
  limit_memory(request.file);
  const proc::SharedMemory slots = proc::SharedMemory::map(
      proc::UniqueFd(proc::kFirstInheritedFd + kLookUpSlotsFd), request.slot_bytes * kSlots);
  SlotSender sender(channel, slots.bytes(), request.slot_bytes);
  MapLookup map(request, sender);
  wire::Encoder out;
  encode(map.opened(), out);
  send(channel, Kind::opened, out);
  while (answer(channel, map, sender.next_order())) {
  }
}

void serve(proc::Channel& channel) {
  const std::optional<wire::Frame> order = channel.receive();
  if (!order) return;
  switch (static_cast<Kind>(order->kind)) {
    case Kind::describe:
      return answer_description(channel, *order);
    case Kind::list:
      return answer_list(channel, *order);
    case Kind::attributes:
      return answer_attributes(channel, *order);
    case Kind::outline:
      return answer_outline(channel, *order);
    case Kind::open:
      return serve_map(channel, *order);
    case Kind::same_map:
      return answer_same_map(channel, *order);
    default:
      return do_job(channel, *order);
  }
}

void report(proc::Channel& channel, const Fault& fault) {
  wire::Encoder out;
  encode(fault, out);
  send(channel, Kind::fault, out);
}

// The messages of two versions may mean different things.
void require_own_version(int argc, const char* const* argv) {
  const std::string version = argc > 2 ? argv[2] : "unknown";
  if (version == ZIGGURAT_VERSION) return;
  fail(ErrorCode::worker, "the reader program {} is version {}, but the library is version {}",
       argv[0], ZIGGURAT_VERSION, version);
}

// Everything that can go wrong becomes a message; a writer that is gone needs none.
int serve_and_report(proc::Channel& channel, int argc, const char* const* argv) {
  try {
    require_own_version(argc, argv);
    serve(channel);
    return 0;
  } catch (const UnsortedRow& row) {
    wire::Encoder out;
    out.put_string(row.text);
    send(channel, Kind::unsorted, out);
  } catch (const Error& error) {
    report(channel, {error.code(), error.what()});
  } catch (const std::bad_alloc&) {
    report(channel,
           {ErrorCode::memory,
            "a reader process ran out of memory: the source may claim more than it holds"});
  } catch (const std::exception& error) {
    report(channel, {ErrorCode::internal, error.what()});
  }
  return 1;
}

}  // namespace

std::vector<std::string> reader_arguments() { return {kReaderOption, ZIGGURAT_VERSION}; }

// What cannot even be reported, for want of memory or of somebody to report to, is left to the
// parent, which sees that a reader ended without an answer.
int run(int argc, const char* const* argv) {
  try {
    const proc::ParentLink link = proc::read_parent_link(argc, argv);
    if (std::none_of(argv, argv + argc,
                     [](const char* word) { return word == std::string_view(kServeOption); })) {
      proc::die_with_parent(link.parent_pid);
    }
    proc::Channel channel = proc::adopt_channel(link.channel_fd);
    h5::enter_untrusted_mode();
    return serve_and_report(channel, argc, argv);
  } catch (const std::exception&) {
    return 1;
  }
}

}  // namespace ziggurat::reader
