#include "reader/protocol.hpp"

#include "base/check.hpp"

namespace ziggurat::reader {

namespace {

using wire::Decoder;
using wire::Encoder;

void put_flag(Encoder& out, bool flag) { out.put(static_cast<std::uint8_t>(flag)); }
bool get_flag(Decoder& in) { return in.get<std::uint8_t>() != 0; }

// Enumerations travel as their numbers and are checked against the smallest and largest one known.
template <typename Enum>
Enum get_enum(Decoder& in, Enum last, Enum first = Enum{}) {
  const auto number = in.get<std::int32_t>();
  if (number < static_cast<std::int32_t>(first) || number > static_cast<std::int32_t>(last)) {
    fail(ErrorCode::worker, "a reader sent an unknown code {}", number);
  }
  return static_cast<Enum>(number);
}
template <typename Enum>
void put_enum(Encoder& out, Enum value) {
  out.put(static_cast<std::int32_t>(value));
}

void put_texts(Encoder& out, const std::vector<std::string>& texts) {
  out.put(static_cast<std::uint64_t>(texts.size()));
  for (const std::string& text : texts) out.put_string(text);
}

// Counts are not believed: elements are taken one by one until the payload ends.
template <typename Take>
auto get_list(Decoder& in, Take take) {
  std::vector<decltype(take())> list;
  const auto n = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < n; ++i) list.push_back(take());
  return list;
}

std::vector<std::string> get_texts(Decoder& in) {
  return get_list(in, [&] { return in.get_string(); });
}

void put_value(Encoder& out, const h5::Value& value) {
  out.put_span(std::span<const std::byte>(value.type));
  put_flag(out, value.scalar);
  out.put_span(std::span<const std::uint64_t>(value.shape));
  out.put_span(std::span<const std::byte>(value.bytes));
  put_texts(out, value.texts);
}

h5::Value get_value(Decoder& in) {
  h5::Value value;
  value.type = in.get_vector<std::byte>();
  value.scalar = get_flag(in);
  value.shape = in.get_vector<std::uint64_t>();
  value.bytes = in.get_vector<std::byte>();
  value.texts = get_texts(in);
  return value;
}

void put_named_values(Encoder& out, const std::vector<h5::NamedValue>& values) {
  out.put(static_cast<std::uint64_t>(values.size()));
  for (const h5::NamedValue& value : values) {
    out.put_string(value.name);
    put_value(out, value.value);
  }
}

std::vector<h5::NamedValue> get_named_values(Decoder& in) {
  return get_list(in, [&] {
    std::string name = in.get_string();
    return h5::NamedValue{std::move(name), get_value(in)};
  });
}

void put_side_columns(Encoder& out, const std::vector<cool::SideColumn>& columns) {
  out.put(static_cast<std::uint64_t>(columns.size()));
  for (const cool::SideColumn& column : columns) {
    out.put_string(column.name);
    put_value(out, column.value);
    put_named_values(out, column.attributes);
  }
}

std::vector<cool::SideColumn> get_side_columns(Decoder& in) {
  return get_list(in, [&] {
    cool::SideColumn column;
    column.name = in.get_string();
    column.value = get_value(in);
    column.attributes = get_named_values(in);
    return column;
  });
}

void put_pixel_column(Encoder& out, const cool::PixelColumn& column) {
  out.put_string(column.name);
  put_enum(out, column.type);
  put_flag(out, column.copyable);
  out.put(column.chunk_length);
  put_flag(out, column.shuffle);
  out.put(static_cast<std::int32_t>(column.deflate_level));
}

cool::PixelColumn get_pixel_column(Decoder& in) {
  cool::PixelColumn column;
  column.name = in.get_string();
  column.type = get_enum(in, NumberType::f64);
  column.copyable = get_flag(in);
  column.chunk_length = in.get<std::uint64_t>();
  column.shuffle = get_flag(in);
  column.deflate_level = in.get<std::int32_t>();
  return column;
}

void put_values(Encoder& out, const TableColumn& message) {
  out.put(static_cast<std::uint64_t>(message.index()));
  std::visit(
      [&](const auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<Value, std::string>) {
          put_texts(out, values);
        } else {
          out.put_span(std::span<const Value>(values));
        }
      },
      message);
}

TableColumn get_values(Decoder& in) {
  TableColumn message;
  switch (in.get<std::uint64_t>()) {
    case 0:
      message = in.get_vector<std::int64_t>();
      break;
    case 1:
      message = in.get_vector<std::uint64_t>();
      break;
    case 2:
      message = in.get_vector<float>();
      break;
    case 3:
      message = in.get_vector<double>();
      break;
    case 4:
      message = in.get_vector<std::uint8_t>();
      break;
    case 5:
      message = get_texts(in);
      break;
    default:
      fail(ErrorCode::worker, "a reader sent a column of an unknown kind");
  }
  return message;
}

// Uniform bins follow from the chromosomes, so a fine map costs no more than a coarse one.
void put_bins(Encoder& out, const genome::BinTable& bins) {
  out.put(static_cast<std::uint64_t>(bins.chromosomes().size()));
  for (const genome::Chromosome& chromosome : bins.chromosomes()) {
    out.put_string(chromosome.name);
    out.put(chromosome.length);
  }
  // A coarse level of variable bins may be uniform and yet have no bin size.
  const bool uniform = bins.is_uniform() && bins.bin_size();
  put_flag(out, uniform);
  out.put(bins.bin_size().value_or(0));
  if (uniform) return;
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  for (std::int64_t bin = 0; bin < bins.n_bins(); ++bin) {
    starts.push_back(bins.start(bin));
    ends.push_back(bins.end(bin));
  }
  out.put_span(std::span<const std::int64_t>(bins.chrom_offsets()));
  out.put_span(std::span<const std::int64_t>(starts));
  out.put_span(std::span<const std::int64_t>(ends));
}

genome::BinTable get_bins(Decoder& in) {
  std::vector<genome::Chromosome> chromosomes = get_list(in, [&] {
    std::string name = in.get_string();
    return genome::Chromosome{std::move(name), in.get<std::int64_t>()};
  });
  const bool uniform = get_flag(in);
  const auto bin_size = in.get<std::int64_t>();
  if (uniform) return genome::BinTable::uniform(std::move(chromosomes), bin_size);
  std::vector<std::int64_t> offsets = in.get_vector<std::int64_t>();
  std::vector<std::int64_t> starts = in.get_vector<std::int64_t>();
  std::vector<std::int64_t> ends = in.get_vector<std::int64_t>();
  return genome::BinTable::explicit_bins(std::move(chromosomes), std::move(offsets),
                                         std::move(starts), std::move(ends),
                                         bin_size > 0 ? std::optional(bin_size) : std::nullopt);
}

}  // namespace

std::size_t size_of(ValueForm form) {
  return form == ValueForm::i32 || form == ValueForm::f32 ? 4 : 8;
}

std::vector<std::uint64_t> block_offsets(const Block& block) {
  const auto aligned = [](std::uint64_t bytes) { return (bytes + 7) / 8 * 8; };
  std::vector<std::uint64_t> offsets{0};
  offsets.push_back(offsets.back() + aligned(block.n_runs * sizeof(RowRun)));
  offsets.push_back(offsets.back() + aligned(block.n_pixels * sizeof(std::uint32_t)));
  for (const ValueForm form : block.forms) {
    offsets.push_back(offsets.back() + aligned(block.n_pixels * size_of(form)));
  }
  return offsets;
}

BlockView view_block(const Block& block, std::span<const std::byte> slot) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (block.n_runs > kMost || block.n_pixels > kMost || block.forms.size() > 1000 ||
      block_offsets(block).back() > slot.size()) {
    fail(ErrorCode::worker, "a reader sent a block of {} pixels that does not fit its slot",
         block.n_pixels);
  }
  const std::vector<std::uint64_t> offsets = block_offsets(block);
  BlockView view;
  view.runs = {reinterpret_cast<const RowRun*>(slot.data()), block.n_runs};
  view.columns = {reinterpret_cast<const std::uint32_t*>(slot.data() + offsets[1]), block.n_pixels};
  for (std::size_t i = 0; i < block.forms.size(); ++i) {
    view.values.push_back(slot.subspan(offsets[2 + i], block.n_pixels * size_of(block.forms[i])));
  }
  std::uint64_t n = 0;
  for (const RowRun run : view.runs) n += run.n;
  if (n != block.n_pixels) fail(ErrorCode::worker, "a reader sent rows that do not add up");
  return view;
}

void encode(const DescribeRequest& message, Encoder& out) {
  out.put_string(message.file);
  out.put_string(message.group);
  put_texts(out, message.fields);
}

DescribeRequest decode_describe_request(Decoder& in) {
  DescribeRequest message;
  message.file = in.get_string();
  message.group = in.get_string();
  message.fields = get_texts(in);
  in.expect_end();
  return message;
}

void encode(const cool::Description& message, Encoder& out) {
  out.put_string(message.label);
  put_bins(out, message.bins);
  put_enum(out, message.mode);
  out.put(message.n_pixels);
  out.put_string(message.assembly);
  out.put_string(message.metadata);
  put_named_values(out, message.attributes);
  put_side_columns(out, message.chrom_columns);
  put_side_columns(out, message.bin_columns);
  put_pixel_column(out, message.bin1);
  put_pixel_column(out, message.bin2);
  out.put(static_cast<std::uint64_t>(message.fields.size()));
  for (const cool::PixelColumn& field : message.fields) put_pixel_column(out, field);
  put_texts(out, message.notes);
}

namespace {

cool::Description get_description(Decoder& in) {
  cool::Description message;
  message.label = in.get_string();
  message.bins = get_bins(in);
  message.mode = get_enum(in, pixels::StorageMode::square);
  message.n_pixels = in.get<std::uint64_t>();
  message.assembly = in.get_string();
  message.metadata = in.get_string();
  message.attributes = get_named_values(in);
  message.chrom_columns = get_side_columns(in);
  message.bin_columns = get_side_columns(in);
  message.bin1 = get_pixel_column(in);
  message.bin2 = get_pixel_column(in);
  message.fields = get_list(in, [&] { return get_pixel_column(in); });
  message.notes = get_texts(in);
  return message;
}

}  // namespace

cool::Description decode_description(Decoder& in) {
  cool::Description message = get_description(in);
  in.expect_end();
  return message;
}

void encode(const Job& message, Encoder& out) {
  out.put_string(message.file);
  out.put_string(message.group);
  put_texts(out, message.fields);
  out.put(message.n_pixels);
  out.put(message.n_bins);
  put_enum(out, message.mode);
  put_flag(out, message.pass_stored_chunks);
  put_flag(out, message.send_source);
  put_flag(out, message.sort_rows);
  put_enum(out, message.duplicates);
  put_enum(out, message.nan);
  out.put(message.slot_bytes);
  out.put(message.table_bytes);
  out.put(static_cast<std::uint64_t>(message.levels.size()));
  for (const JobLevel& level : message.levels) {
    out.put(level.predecessor);
    out.put(level.n_bins);
    out.put(level.ids_at);
    out.put(level.n_ids);
    out.put(static_cast<std::uint64_t>(level.fields.size()));
    for (const coarsen::FieldRule& rule : level.fields) {
      put_enum(out, rule.aggregation);
      put_enum(out, rule.source);
      put_enum(out, rule.target);
      put_flag(out, rule.is_count);
    }
  }
}

namespace {

JobLevel get_job_level(Decoder& in) {
  JobLevel level;
  level.predecessor = in.get<std::int32_t>();
  level.n_bins = in.get<std::uint32_t>();
  level.ids_at = in.get<std::uint64_t>();
  level.n_ids = in.get<std::uint64_t>();
  level.fields = get_list(in, [&] {
    coarsen::FieldRule rule;
    rule.aggregation = get_enum(in, Aggregation::all);
    rule.source = get_enum(in, NumberType::f64);
    rule.target = get_enum(in, NumberType::f64);
    rule.is_count = get_flag(in);
    return rule;
  });
  return level;
}

}  // namespace

Job decode_job(Decoder& in) {
  Job message;
  message.file = in.get_string();
  message.group = in.get_string();
  message.fields = get_texts(in);
  message.n_pixels = in.get<std::uint64_t>();
  message.n_bins = in.get<std::uint64_t>();
  message.mode = get_enum(in, pixels::StorageMode::square);
  message.pass_stored_chunks = get_flag(in);
  message.send_source = get_flag(in);
  message.sort_rows = get_flag(in);
  message.duplicates = get_enum(in, DuplicatePolicy::sum);
  message.nan = get_enum(in, NanPolicy::skip);
  message.slot_bytes = in.get<std::uint64_t>();
  message.table_bytes = in.get<std::uint64_t>();
  message.levels = get_list(in, [&] { return get_job_level(in); });
  in.expect_end();
  return message;
}

void encode(const Block& message, Encoder& out) {
  out.put(message.slot);
  out.put(message.level);
  out.put(message.n_runs);
  out.put(message.n_pixels);
  out.put(static_cast<std::uint64_t>(message.forms.size()));
  for (const ValueForm form : message.forms) put_enum(out, form);
  put_flag(out, message.exact_total.has_value());
  out.put(message.exact_total.value_or(0.0));
}

Block decode_block(Decoder& in) {
  Block message;
  message.slot = in.get<std::uint32_t>();
  message.level = in.get<std::uint32_t>();
  message.n_runs = in.get<std::uint64_t>();
  message.n_pixels = in.get<std::uint64_t>();
  message.forms = get_list(in, [&] { return get_enum(in, ValueForm::f64); });
  const bool has_total = get_flag(in);
  const auto total = in.get<double>();
  if (has_total) message.exact_total = total;
  in.expect_end();
  return message;
}

void encode(const Stored& message, Encoder& out) {
  out.put(message.slot);
  out.put_span(std::span<const StoredPiece>(message.pieces));
}

Stored decode_stored(Decoder& in) {
  Stored message;
  message.slot = in.get<std::uint32_t>();
  message.pieces = in.get_vector<StoredPiece>();
  in.expect_end();
  return message;
}

void encode(const Fault& message, Encoder& out) {
  put_enum(out, message.code);
  out.put_string(message.text);
}

Fault decode_fault(Decoder& in) {
  Fault message;
  message.code = get_enum(in, ErrorCode::memory, ErrorCode::usage);
  message.text = in.get_string();
  in.expect_end();
  return message;
}

void encode(const std::vector<std::string>& message, Encoder& out) { put_texts(out, message); }

std::vector<std::string> decode_texts(Decoder& in) {
  std::vector<std::string> message = get_texts(in);
  in.expect_end();
  return message;
}

void encode(const std::vector<AttributeText>& message, Encoder& out) {
  out.put(static_cast<std::uint64_t>(message.size()));
  for (const AttributeText& attribute : message) {
    out.put_string(attribute.name);
    out.put_string(attribute.text);
    put_flag(out, attribute.is_number);
  }
}

std::vector<AttributeText> decode_attribute_texts(Decoder& in) {
  std::vector<AttributeText> message = get_list(in, [&] {
    AttributeText attribute;
    attribute.name = in.get_string();
    attribute.text = in.get_string();
    attribute.is_number = get_flag(in);
    return attribute;
  });
  in.expect_end();
  return message;
}

void encode(const OpenRequest& message, Encoder& out) {
  out.put_string(message.file);
  out.put_string(message.group);
  out.put(message.slot_bytes);
}

OpenRequest decode_open_request(Decoder& in) {
  OpenRequest message;
  message.file = in.get_string();
  message.group = in.get_string();
  message.slot_bytes = in.get<std::uint64_t>();
  in.expect_end();
  return message;
}

void encode(const Opened& message, Encoder& out) {
  encode(message.description, out);
  put_texts(out, message.chrom_columns);
  put_texts(out, message.bin_columns);
}

Opened decode_opened(Decoder& in) {
  Opened message;
  message.description = get_description(in);
  message.chrom_columns = get_texts(in);
  message.bin_columns = get_texts(in);
  in.expect_end();
  return message;
}

void encode(const ColumnRequest& message, Encoder& out) {
  out.put_string(message.table);
  out.put_string(message.name);
}

ColumnRequest decode_column_request(Decoder& in) {
  ColumnRequest message;
  message.table = in.get_string();
  message.name = in.get_string();
  in.expect_end();
  return message;
}

void encode(const TableColumn& message, Encoder& out) { put_values(out, message); }

TableColumn decode_plain_column(Decoder& in) {
  TableColumn message = get_values(in);
  in.expect_end();
  return message;
}

void encode(const OutlineRequest& message, Encoder& out) {
  out.put_string(message.file);
  out.put_string(message.path);
  out.put(message.levels);
}

OutlineRequest decode_outline_request(Decoder& in) {
  OutlineRequest message;
  message.file = in.get_string();
  message.path = in.get_string();
  message.levels = in.get<std::int64_t>();
  in.expect_end();
  return message;
}

void encode(const std::vector<h5::OutlinedObject>& message, Encoder& out) {
  out.put(static_cast<std::uint64_t>(message.size()));
  for (const h5::OutlinedObject& object : message) {
    out.put_string(object.name);
    out.put(object.depth);
    put_flag(out, object.is_group);
    out.put_span(std::span<const std::uint64_t>(object.shape));
    out.put_string(object.type);
    out.put(object.stored_bytes);
    out.put(static_cast<std::uint64_t>(object.attributes.size()));
    for (const h5::OutlinedAttribute& attribute : object.attributes) {
      out.put_string(attribute.name);
      put_flag(out, attribute.scalar);
      put_values(out, attribute.values);
    }
  }
}

namespace {

h5::OutlinedObject get_outlined_object(Decoder& in) {
  h5::OutlinedObject object;
  object.name = in.get_string();
  object.depth = in.get<std::int64_t>();
  object.is_group = get_flag(in);
  object.shape = in.get_vector<std::uint64_t>();
  object.type = in.get_string();
  object.stored_bytes = in.get<std::int64_t>();
  object.attributes = get_list(in, [&] {
    h5::OutlinedAttribute attribute;
    attribute.name = in.get_string();
    attribute.scalar = get_flag(in);
    attribute.values = get_values(in);
    return attribute;
  });
  return object;
}

}  // namespace

std::vector<h5::OutlinedObject> decode_outline(Decoder& in) {
  std::vector<h5::OutlinedObject> message = get_list(in, [&] { return get_outlined_object(in); });
  in.expect_end();
  return message;
}

void encode(const LookUp& message, Encoder& out) {
  put_texts(out, message.fields);
  out.put(message.first_row);
  out.put(message.end_row);
  out.put(message.first_column);
  out.put(message.end_column);
  put_enum(out, message.duplicates);
  put_enum(out, message.nan);
}

LookUp decode_look_up(Decoder& in) {
  LookUp message;
  message.fields = get_texts(in);
  message.first_row = in.get<std::uint64_t>();
  message.end_row = in.get<std::uint64_t>();
  message.first_column = in.get<std::uint64_t>();
  message.end_column = in.get<std::uint64_t>();
  message.duplicates = get_enum(in, DuplicatePolicy::sum);
  message.nan = get_enum(in, NanPolicy::skip);
  in.expect_end();
  return message;
}

}  // namespace ziggurat::reader
