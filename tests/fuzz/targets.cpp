#include "targets.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "balance/blacklist.hpp"
#include "base/strings.hpp"
#include "base/units.hpp"
#include "cli/shell_words.hpp"
#include "codec/chunk_encoder.hpp"
#include "codec/gunzip.hpp"
#include "codec/gzip_stream.hpp"
#include "codec/inflate.hpp"
#include "codec/shuffle.hpp"
#include "contacts/line_parser.hpp"
#include "genome/bed_bins.hpp"
#include "genome/chrom_sizes.hpp"
#include "genome/field_spec.hpp"
#include "genome/region.hpp"
#include "genome/resolutions.hpp"
#include "genome/uri.hpp"
#include "h5/journal_format.hpp"
#include "reader/protocol.hpp"
#include "seeds.hpp"
#include "wire/frame.hpp"

namespace ziggurat::fuzz {
namespace {

using Input = std::span<const std::byte>;

// Aborts and not asserts: promises are kept in every build.
void promise(bool kept) {
  if (!kept) std::abort();
}

std::string_view text_of(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

// The first byte, or 0; the rest is the input.
unsigned take_byte(Input& input) {
  if (input.empty()) return 0;
  const auto byte = std::to_integer<unsigned>(input.front());
  input = input.subspan(1);
  return byte;
}

const std::vector<genome::Chromosome>& chromosomes() {
  static const std::vector<genome::Chromosome> table{
      {"chr1", 61'500}, {"chr1:2", 25'000}, {"HLA-A*01:01", 900}, {"x", 33'333}};
  return table;
}

const genome::BinTable& bins() {
  static const genome::BinTable table = genome::BinTable::uniform(chromosomes(), 1000);
  return table;
}

// ----- grammars

void run_uri(Input input) {
  const genome::Uri uri = genome::parse_uri(text_of(input));
  promise(!uri.file.empty() && uri.group.starts_with('/'));
  promise(genome::parse_uri(genome::to_string(uri)) == uri);
}

void run_field(Input input) { static_cast<void>(genome::parse_field_spec(text_of(input))); }

void run_numbers(Input input) {
  const auto number = parse_int64(text_of(input));
  if (number) promise(parse_int64(std::to_string(*number)) == number);
  const auto decimal = parse_decimal(text_of(input));
  if (decimal) promise(*decimal >= 0);
  promise(parse_bytes(text_of(input)) >= 0);
}

void run_region(Input input) {
  const genome::Region region = genome::parse_region(text_of(input), chromosomes());
  const auto chromosome = static_cast<std::size_t>(region.chromosome);
  promise(chromosome < chromosomes().size());
  promise(0 <= region.start && region.start <= region.end &&
          region.end <= chromosomes()[chromosome].length);
  const genome::BinRange touched = genome::bins_touching(bins(), region);
  promise(0 <= touched.first && touched.first <= touched.end && touched.end <= bins().n_bins());
}

void run_resolutions(Input input) {
  constexpr std::int64_t kBase = 1000;
  const std::vector<std::int64_t> wanted =
      genome::expand_resolutions(text_of(input), {.current = kBase, .maximum = 10'000'000});
  promise(std::all_of(wanted.begin(), wanted.end(), [](std::int64_t r) { return r > 0; }));
  for (const genome::LevelPlan& level : genome::plan_levels(wanted, std::array{kBase})) {
    promise(level.resolution % kBase == 0 && level.factor >= 1);
  }
}

// Words put between single quotes come back as they are.
void run_words(Input input) {
  const std::vector<std::string> words = cli::split_like_a_shell(text_of(input));
  std::string quoted;
  for (const std::string& word : words) {
    if (word.find('\'') != std::string::npos) return;
    quoted += "'" + word + "' ";
  }
  promise(cli::split_like_a_shell(quoted) == words);
}

void run_chrom_sizes(Input input) {
  const auto sizes = genome::parse_chrom_sizes(text_of(input), "sizes");
  promise(!sizes.empty());
  for (const genome::Chromosome& each : sizes) promise(!each.name.empty() && each.length > 0);
  // One bin a chromosome, so that no length makes many.
  const auto table = genome::BinTable::uniform(sizes, std::numeric_limits<std::int64_t>::max());
  promise(table.n_bins() == std::ssize(sizes) && table.end(0) == sizes.front().length);
  promise(table.total_length() >= sizes.back().length);
}

void run_bed(Input input) {
  promise(std::ssize(balance::blacklisted_bins(text_of(input), bins(), "BED")) == bins().n_bins());
}

// ----- messages between processes

void run_frame(Input input) {
  if (input.size() < wire::kFrameHeaderBytes) return;
  const Input payload = input.subspan(wire::kFrameHeaderBytes);
  const wire::FrameHeader header = wire::decode_header(input.first<wire::kFrameHeaderBytes>());
  wire::check_payload(header, payload);
  promise(std::ranges::equal(wire::encode_header(header.kind, payload),
                             input.first(wire::kFrameHeaderBytes)));
}

// What was decoded encodes to bytes that decode to the same bytes again.
template <typename T>
void check_message(Input input, T (*decode)(wire::Decoder&)) {
  const auto recoded = [&](Input bytes) {
    wire::Decoder in(bytes);
    wire::Encoder out;
    reader::encode(decode(in), out);
    return Bytes(out.payload().begin(), out.payload().end());
  };
  const Bytes once = recoded(input);
  promise(recoded(once) == once);
}

void check_block(Input input) {
  wire::Decoder in(input);
  const reader::Block block = reader::decode_block(in);
  alignas(8) static const std::array<std::byte, 4096> slot{};
  const reader::BlockView view = reader::view_block(block, slot);
  promise(view.columns.size() == block.n_pixels && view.values.size() == block.forms.size());
}

void run_messages(Input input) {
  const auto kind = static_cast<Message>(take_byte(input) % static_cast<unsigned>(Message::end));
  switch (kind) {
    case Message::describe_request:
      return check_message(input, reader::decode_describe_request);
    case Message::description:
      return check_message(input, reader::decode_description);
    case Message::job:
      return check_message(input, reader::decode_job);
    case Message::block:
      check_message(input, reader::decode_block);
      return check_block(input);
    case Message::stored:
      return check_message(input, reader::decode_stored);
    case Message::fault:
      return check_message(input, reader::decode_fault);
    case Message::texts:
      return check_message(input, reader::decode_texts);
    case Message::attribute_texts:
      return check_message(input, reader::decode_attribute_texts);
    case Message::outline_request:
      return check_message(input, reader::decode_outline_request);
    case Message::outline:
      return check_message(input, reader::decode_outline);
    case Message::open_request:
      return check_message(input, reader::decode_open_request);
    case Message::opened:
      return check_message(input, reader::decode_opened);
    case Message::column_request:
      return check_message(input, reader::decode_column_request);
    case Message::plain_column:
      return check_message(input, reader::decode_plain_column);
    case Message::look_up:
      return check_message(input, reader::decode_look_up);
    case Message::end:
      break;
  }
}

// ----- contacts as text

void run_bins(Input input) {
  const genome::BinTable table = genome::parse_bed_bins(text_of(input), "bins");
  promise(table.n_bins() > 0 && table.end(table.n_bins() - 1) > 0);
}

contacts::LineRules line_rules(unsigned choice) {
  contacts::LineRules rules;
  rules.bin_ids = (choice & 1U) != 0;
  rules.first = (choice & 2U) != 0 ? 1 : 0;
  rules.lower_half = static_cast<contacts::LowerHalf>(choice / 4 % 3);
  rules.unknown = (choice & 16U) != 0 ? contacts::Misfit::drop : contacts::Misfit::refuse;
  rules.outside = (choice & 32U) != 0 ? contacts::Misfit::drop : contacts::Misfit::refuse;
  if ((choice & 64U) != 0) rules.values = {{"n", 2, true}, {"x", 6, false}};
  rules.comment_ends_line = (choice & 128U) != 0;
  return rules;
}

// Every record lies in the map; what is parsed line by line is what is parsed at once.
void run_contacts(Input input) {
  const contacts::Places places(bins());
  const contacts::LineParser parser(places, line_rules(take_byte(input)));
  const contacts::KeyLayout keys(bins().n_bins());
  contacts::ParsedBlock whole;
  parser.parse(text_of(input), whole);
  promise(whole.fault || whole.records.size() == whole.tally.taken * parser.words());
  for (std::size_t i = 0; i < whole.records.size(); i += parser.words()) {
    promise(keys.row(whole.records[i]) < bins().n_bins());
    promise(keys.column(whole.records[i]) < bins().n_bins());
  }
  std::vector<std::uint64_t> records;
  contacts::ParsedBlock line;
  for (std::string_view text = text_of(input); !text.empty() && !line.fault;) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    parser.parse(text.substr(0, end), line);
    records.insert(records.end(), line.records.begin(), line.records.end());
    text.remove_prefix(end);
  }
  promise(records == whole.records && line.fault == whole.fault);
}

// ----- files of ours

void run_journal(Input input) {
  const std::optional<h5::Journal> journal = h5::parse_journal(input);
  if (!journal) return;
  promise(journal->header.old_bytes >= 0 && journal->end.new_bytes >= 0);
  for (const h5::JournalRecord& record : journal->records) {
    promise(record.offset >= 0 &&
            record.offset + std::ssize(record.bytes) <= journal->header.old_bytes);
    promise(record.bytes.empty() ||
            (record.bytes.data() >= input.data() &&
             record.bytes.data() + record.bytes.size() <= input.data() + input.size()));
  }
}

// ----- compressed data, with zlib for a judge

std::optional<Bytes> judged(Input stream, std::size_t size) {
  Bytes out(size + 1);
  uLongf length = out.size();
  uLong used = stream.size();
  const int status = uncompress2(reinterpret_cast<Bytef*>(out.data()), &length,
                                 reinterpret_cast<const Bytef*>(stream.data()), &used);
  if (status != Z_OK || length != size || used != stream.size()) return std::nullopt;
  out.resize(size);
  return out;
}

void run_inflate(Input input) {
  std::size_t size = take_byte(input);
  size += std::size_t{take_byte(input)} << 8;
  const std::optional<Bytes> right = judged(input, size);
  Bytes out(size);
  try {
    codec::Inflater().inflate(input, out);
  } catch (const Error&) {
    promise(!right);
    return;
  }
  promise(right == out);
}

void run_gunzip(Input input) {
  constexpr std::size_t kLimit = std::size_t{1} << 20;
  promise(codec::gunzip(input, kLimit).size() <= kLimit);
}

// Cut anywhere, the pieces give what the whole gives.
void run_gzip_stream(Input input) {
  constexpr std::size_t kLimit = std::size_t{1} << 20;
  const std::size_t piece = 1 + take_byte(input);
  std::string whole;
  bool sound = true;
  try {
    whole = codec::gunzip(input, kLimit);
  } catch (const Error&) {
    sound = false;
  }
  codec::GzipStream stream;
  std::string pieces;
  std::array<std::byte, 777> out{};
  try {
    for (Input rest = input; !rest.empty();) {
      Input in = rest.first(std::min(piece, rest.size()));
      rest = rest.subspan(in.size());
      for (std::size_t made = 1; made > 0 || !in.empty();) {
        made = stream.inflate(in, out);
        pieces.append(reinterpret_cast<const char*>(out.data()), made);
        if (pieces.size() > kLimit) return;
      }
    }
  } catch (const Error&) {
    // A checksum of a member's head is looked at here and not there, so no promise.
    return;
  }
  if (sound) promise(stream.complete() && pieces == whole);
}

void run_encode(Input input) {
  constexpr std::array<std::size_t, 4> kSizes{1, 2, 4, 8};
  const unsigned choice = take_byte(input);
  const std::size_t size = kSizes[choice % kSizes.size()];
  const int level = 1 + static_cast<int>(choice / kSizes.size() % 9);
  const Input elements = input.first(input.size() / size * size);
  const std::size_t chunk_length = elements.size() / size + choice % 3;
  codec::ChunkEncoder encoder(level);
  const Input packed =
      encoder.encode_elements(elements, size, static_cast<std::int64_t>(chunk_length));
  const std::optional<Bytes> shuffled = judged(packed, chunk_length * size);
  promise(shuffled.has_value());
  Bytes out(shuffled->size());
  codec::unshuffle(*shuffled, out, size);
  promise(std::ranges::equal(Input(out).first(elements.size()), elements));
}

constexpr std::array kTargets{
    Target{"uri", run_uri,
           [] {
             return texts({"a.cool", "dir/b.mcool::/resolutions/1000", "c::x/y"});
           }},
    Target{"field", run_field,
           [] {
             return texts({"count", "score:dtype=float64,agg=mean", "x:agg=max"});
           }},
    Target{"numbers", run_numbers,
           [] {
             return texts({"12", "-1_000", "1.5 GB", "8G", "3.25"});
           }},
    Target{"region", run_region,
           [] {
             return texts({"chr1", "chr1:2:1,000-2.5kb", "HLA-A*01:01:5-", "x:10-20"});
           }},
    Target{"resolutions", run_resolutions,
           [] {
             return texts({"1000,2000", "B", "5000N,4DN", "10_000b", "N"});
           }},
    Target{"words", run_words,
           [] {
             return texts({"-p 4 --mad-max 5", "'a b' \"c\\\"d\" e\\ f", "''"});
           }},
    Target{"chrom_sizes", run_chrom_sizes,
           [] {
             return texts({"chr1\t61500\nchr2\t25000\r\n\nx\t4611686018427387904\n",
                           "a\t9223372036854775807\nb\t1\n", "chr 1\t 5 \tmore"});
           }},
    Target{"bed", run_bed,
           [] {
             return texts({"chrom\tstart\tend\nchr1\t0\t1000\tname\r\nx\t5\t50000\n",
                           "# comment\ntrack x\n\nchr1 100 200"});
           }},
    Target{"bins", run_bins,
           [] {
             return texts({"a\t0\t10\na\t10\t20\nb\t0\t5\tname\r\n", "#x\n\nchr1\t5\t70\n"});
           }},
    Target{"contacts", run_contacts,
           [] {
             return texts({"2chr1\t61500\tx\tx\t33333\t.\n#c\nHLA-A*01:01\t1\t.\tchr1\t 7\t+\n",
                           "0chr1\t0\tx\tx\t0\r\n!\t0\t!\t!\t0\n", "aa\t0\t5\t87\t1\t2\t0.5\n",
                           "q3\t1\t5\t3\t1\t2\t-1e5"});
           }},
    Target{"frame", run_frame, frame_seeds},
    Target{"messages", run_messages, message_seeds},
    Target{"journal", run_journal, journal_seeds},
    Target{"inflate", run_inflate, zlib_seeds},
    Target{"gunzip", run_gunzip, gzip_seeds},
    Target{"gzip_stream", run_gzip_stream,
           [] {
             std::vector<Bytes> seeds = gzip_seeds();
             for (Bytes& seed : seeds) seed.insert(seed.begin(), std::byte{9});
             return seeds;
           }},
    Target{"encode", run_encode, element_seeds},
};

}  // namespace

std::span<const Target> targets() { return kTargets; }

void run(const Target& target, std::span<const std::byte> input) {
  try {
    target.run(input);
  } catch (const Error&) {
    return;
  }
}

}  // namespace ziggurat::fuzz
