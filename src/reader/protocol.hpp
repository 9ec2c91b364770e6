// What the writer and its reader processes say to each other.
//
//   writer -> reader                         reader -> writer
//   describe  ------------------------------> description                 (then the reader ends)
//   list      ------------------------------> groups                      (then the reader ends)
//   attributes -----------------------------> attribute_texts             (then the reader ends)
//   same_map  ------------------------------> truth                       (then the reader ends)
//   outline   ------------------------------> outlined                    (then the reader ends)
//   open, then any number of questions:
//             ------------------------------> opened
//   column    ------------------------------> column_values
//   row_offsets ----------------------------> offsets
//   look_up   ------------------------------> block*, looked_up
//   slot_free <-- one for each block
//   stop      ------------------------------> (the reader ends)
//   job, then for each range of pixels:
//   prove     ------------------------------> proven
//   compare_index --------------------------> index_compared              (one reader only)
//   span (two may be under way) ------------> block*, stored*, span_done
//   slot_free <-- one for each block/stored
//   stop      ------------------------------> spent                       (then the reader ends)
//   At any time a reader may say fault and end; unsorted says that a row's columns do not ascend,
//   and the pass has to begin anew with rows sorted.
//
// Pixels lie in shared-memory slots that the reader owns until it sends block or stored and again
// after slot_free. A reader works on one span at a time and its slots are its own, so the reader of
// the span that the writer waits for can always go on: no deadlock, and memory is bounded by
// readers x slots x slot bytes.
// EOF without an answer is an error: the reader died.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/meter.hpp"
#include "base/row_run.hpp"
#include "coarsen/level_tree.hpp"
#include "cool/description.hpp"
#include "cool/plain_column.hpp"
#include "h5/outline.hpp"
#include "pixels/value_tally.hpp"
#include "wire/frame.hpp"

namespace ziggurat::reader {

// Sent between processes of one build; the numbers need not be stable between versions.
enum class Kind : std::uint16_t {
  describe = 1,
  description,
  list,
  groups,
  attributes,
  attribute_texts,
  outline,
  outlined,
  open,
  opened,
  column,
  column_values,
  row_offsets,
  offsets,
  look_up,
  looked_up,
  same_map,
  truth,
  job,
  prove,
  proven,
  compare_index,
  index_compared,
  span,
  block,
  stored,
  slot_free,
  span_done,
  unsorted,
  fault,
  stop,
  spent,
};

// Descriptors a reader inherits, after its first inherited one.
constexpr int kTablesFd = 0;
constexpr int kSlotsFd = 1;
// The only one of a reader that serves look-ups.
constexpr int kLookUpSlotsFd = 0;

constexpr int kSlots = 12;      // of each reader
constexpr int kSpansAhead = 2;  // spans a reader may have been told of

struct DescribeRequest {
  std::string file;
  std::string group;
  std::vector<std::string> fields;  // empty: all; in same_map the path the group is compared with
};

// An attribute as people read it.
struct AttributeText {
  std::string name;
  std::string text;
  bool is_number = false;
};

enum class DuplicatePolicy : std::uint8_t { refuse, sum };
enum class NanPolicy : std::uint8_t { refuse, skip };

// One level as a reader needs it; `ids` are found in the shared tables.
struct JobLevel {
  std::int32_t predecessor = coarsen::kBase;
  std::uint32_t n_bins = 0;
  std::uint64_t ids_at = 0;  // first element, counted in 32-bit ids from the start of the ids
  std::uint64_t n_ids = 0;   // bins of the predecessor
  std::vector<coarsen::FieldRule> fields;
};

struct Job {
  std::string file;
  std::string group;
  std::vector<std::string> fields;
  std::uint64_t n_pixels = 0;
  std::uint64_t n_bins = 0;
  pixels::StorageMode mode = pixels::StorageMode::symmetric_upper;
  bool pass_stored_chunks = false;  // send the base's chunks as they are
  bool send_source = false;         // send the proven pixels as they are, as level 0; then there
                                    // are no other levels
  bool sort_rows = false;           // rows may be out of order and are sorted
  DuplicatePolicy duplicates = DuplicatePolicy::refuse;
  NanPolicy nan = NanPolicy::refuse;
  std::uint64_t slot_bytes = 0;
  std::uint64_t table_bytes = 0;  // shared tables: n_bins + 1 row offsets (int64), then all ids
  std::vector<JobLevel> levels;
};

struct PixelRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

// Rows of the range's first and last pixel; between them the shared row offsets are filled in.
struct Proven {
  std::uint64_t first_row = 0;
  std::uint64_t last_row = 0;
};

enum class IndexState : std::uint8_t { sound, missing, wrong };

struct RowSpan {
  std::uint64_t first_row = 0;
  std::uint64_t end_row = 0;
};

// The objects of a file from `path` on down.
struct OutlineRequest {
  std::string file;
  std::string path;
  std::int64_t levels = -1;
};

// A map that is to be kept open for questions.
struct OpenRequest {
  std::string file;
  std::string group;
  std::uint64_t slot_bytes = 0;
};

struct Opened {
  cool::Description description;  // without side columns and attributes
  std::vector<std::string> chrom_columns;
  std::vector<std::string> bin_columns;
};

// A column of the table chroms or bins that the schema does not name.
struct ColumnRequest {
  std::string table;
  std::string name;
};

// Stored pixels of a rectangle. Blocks come in the order of rows, columns ascending within each;
// what a row holds more than once, or a count that is no number, is handed on only when allowed.
struct LookUp {
  std::vector<std::string> fields;
  std::uint64_t first_row = 0;
  std::uint64_t end_row = 0;
  std::uint64_t first_column = 0;
  std::uint64_t end_column = 0;
  DuplicatePolicy duplicates = DuplicatePolicy::sum;
  NanPolicy nan = NanPolicy::skip;
};

enum class ValueForm : std::uint8_t { i32, i64, f32, f64 };
[[nodiscard]] std::size_t size_of(ValueForm form);

// Pixels of one level in a slot: runs, then columns, then each value column, every part beginning
// at a multiple of 8 bytes.
struct Block {
  std::uint32_t slot = 0;
  std::uint32_t level = 0;
  std::uint64_t n_runs = 0;
  std::uint64_t n_pixels = 0;
  std::vector<ValueForm> forms;
  // See PixelBatch; only in the first block of a batch.
  std::optional<double> exact_total;
};

struct BlockView {
  std::span<const RowRun> runs;
  std::span<const std::uint32_t> columns;
  std::vector<std::span<const std::byte>> values;
};
// Throws Error{worker} when the block does not fit the slot: readers are not believed.
[[nodiscard]] BlockView view_block(const Block& block, std::span<const std::byte> slot);
// Where the parts lie; `offsets` are those of runs, columns and the value columns, then the end.
[[nodiscard]] std::vector<std::uint64_t> block_offsets(const Block& block);

// Parts of stored chunks of the base in a slot, one after the other.
struct StoredPiece {
  std::uint32_t column = 0;
  std::uint32_t mask = 0;
  std::uint64_t chunk = 0;
  std::uint64_t chunk_bytes = 0;
  std::uint64_t offset = 0;  // of this piece in the chunk
  std::uint64_t bytes = 0;
};
struct Stored {
  std::uint32_t slot = 0;
  std::vector<StoredPiece> pieces;
};

// What a span's source pixels came to, for the column `count`.
struct SpanTally {
  std::uint64_t n_pixels = 0;
  pixels::IntegerTally integers;  // all zero unless the column holds integers
  pixels::FloatTally reals;       // the same for floating point
};

// What a reader did in its life.
struct Spent {
  StageTable stages;
  Usage usage;
};

struct Fault {
  ErrorCode code = ErrorCode::internal;
  std::string text;
};

void encode(const DescribeRequest& message, wire::Encoder& out);
void encode(const cool::Description& message, wire::Encoder& out);
void encode(const Job& message, wire::Encoder& out);
void encode(const Block& message, wire::Encoder& out);
void encode(const Fault& message, wire::Encoder& out);
void encode(const Stored& message, wire::Encoder& out);
void encode(const std::vector<std::string>& message, wire::Encoder& out);
void encode(const std::vector<AttributeText>& message, wire::Encoder& out);
void encode(const OutlineRequest& message, wire::Encoder& out);
void encode(const std::vector<h5::OutlinedObject>& message, wire::Encoder& out);
void encode(const OpenRequest& message, wire::Encoder& out);
void encode(const Opened& message, wire::Encoder& out);
void encode(const ColumnRequest& message, wire::Encoder& out);
void encode(const TableColumn& message, wire::Encoder& out);
void encode(const LookUp& message, wire::Encoder& out);

[[nodiscard]] DescribeRequest decode_describe_request(wire::Decoder& in);
[[nodiscard]] cool::Description decode_description(wire::Decoder& in);
[[nodiscard]] Job decode_job(wire::Decoder& in);
[[nodiscard]] Block decode_block(wire::Decoder& in);
[[nodiscard]] Fault decode_fault(wire::Decoder& in);
[[nodiscard]] Stored decode_stored(wire::Decoder& in);
[[nodiscard]] std::vector<std::string> decode_texts(wire::Decoder& in);
[[nodiscard]] std::vector<AttributeText> decode_attribute_texts(wire::Decoder& in);
[[nodiscard]] OutlineRequest decode_outline_request(wire::Decoder& in);
[[nodiscard]] std::vector<h5::OutlinedObject> decode_outline(wire::Decoder& in);
[[nodiscard]] OpenRequest decode_open_request(wire::Decoder& in);
[[nodiscard]] Opened decode_opened(wire::Decoder& in);
[[nodiscard]] ColumnRequest decode_column_request(wire::Decoder& in);
[[nodiscard]] TableColumn decode_plain_column(wire::Decoder& in);
[[nodiscard]] LookUp decode_look_up(wire::Decoder& in);

}  // namespace ziggurat::reader
