// dump: tables and pixels as text, to the byte as cooler prints them.
//
// Where cooler's dump does not do what its own help says, this one does: the one-based options
// count without --join too, a header is printed above no rows too, and --columns holds for pixels.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.hpp"
#include "base/strings.hpp"
#include "cli/command.hpp"
#include "cli/table_text.hpp"
#include "cli/text_output.hpp"
#include "ziggurat/read.hpp"

namespace ziggurat::cli {

namespace {

struct DumpOptions {
  std::string uri;
  std::string table = "pixels";
  std::string columns;
  bool header = false;
  std::string missing;
  std::string float_format = "g";
  std::string range;
  std::string range2;
  bool fill_lower = false;
  bool balanced = false;
  std::string weight_name;
  bool join = false;
  std::string annotate;
  bool one_based_ids = false;
  bool one_based_starts = false;
  std::int64_t chunksize = 1'000'000;
  std::string out;
};

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  if (list.empty()) return names;
  for (const std::string_view name : split(list, ',')) names.emplace_back(name);
  return names;
}

// Which row of a table a row of text is about.
using RowOf = std::function<std::size_t(std::size_t)>;

TextColumn make_column(const std::string& name, TableColumn values, const FloatFormat& format,
                       const RowOf& row_of) {
  return std::visit(
      [&](auto& cells) -> TextColumn {
        using Cell = typename std::decay_t<decltype(cells)>::value_type;
        auto shared = std::make_shared<std::decay_t<decltype(cells)>>(std::move(cells));
        return {name, [shared, row_of, format](std::string& out, std::size_t row) {
                  const Cell& cell = (*shared)[row_of(row)];
                  if constexpr (std::is_same_v<Cell, std::string>) {
                    out += csv_field(cell);
                  } else if constexpr (std::is_floating_point_v<Cell>) {
                    format.append(out, cell);
                  } else if constexpr (std::is_same_v<Cell, std::uint8_t>) {
                    out += cell != 0 ? "True" : "False";
                  } else {
                    fmt::format_to(std::back_inserter(out), "{}", cell);
                  }
                }};
      },
      values);
}

// Columns of the bins, as seen by rows of text that are about bins.
class BinColumns {
 public:
  BinColumns(const ContactMap& map, const FloatFormat& format) : map_(map), format_(format) {
    for (const Chromosome& chromosome : map.chromosomes()) {
      names_.push_back(csv_field(chromosome.name));
    }
  }

  [[nodiscard]] TextColumn column(const std::string& name, const std::string& suffix,
                                  std::int64_t first_position, const RowOf& row_of) {
    if (name == "chrom") {
      load_intervals();
      return {name + suffix, [this, row_of](std::string& out, std::size_t row) {
                out += names_[static_cast<std::size_t>(bins_->chromosomes[row_of(row)])];
              }};
    }
    if (name == "start" || name == "end") {
      load_intervals();
      const std::vector<std::int64_t>& cells = name == "start" ? bins_->starts : bins_->ends;
      const std::int64_t shift = name == "start" ? first_position : 0;
      return {name + suffix, [&cells, shift, row_of](std::string& out, std::size_t row) {
                append_integer(out, cells[row_of(row)] + shift);
              }};
    }
    return make_column(name + suffix, map_.bin_column(name), format_, row_of);
  }

 private:
  void load_intervals() {
    if (!bins_) bins_ = map_.bins();
  }

  const ContactMap& map_;
  const FloatFormat& format_;
  std::vector<std::string> names_;
  std::optional<BinIntervals> bins_;
};

// Pixels of both triangles of a symmetric map in the order in which cooler gives them: the query is
// split where it crosses the diagonal, each part into chunks of about `chunksize` stored pixels,
// and of each chunk the mirror images follow after what is stored.
class MirroredChunks {
 public:
  MirroredChunks(const ContactMap& map, BinRange rows, BinRange columns, std::int64_t chunksize,
                 Observer& observer)
      : map_(map), observer_(observer) {
    const bool transposed = rows.end > columns.end;
    if (transposed) std::swap(rows, columns);
    const bool apart = rows.first < columns.first && rows.end <= columns.first;
    if (rows.first == columns.first || apart) {
      add(rows, columns, transposed, chunksize);
    } else if (rows.first < columns.first) {
      add({rows.first, columns.first}, columns, transposed, chunksize);
      add({columns.first, rows.end}, columns, transposed, chunksize);
    } else {
      add({columns.first, rows.first}, rows, !transposed, chunksize);
      add(rows, {rows.first, columns.end}, transposed, chunksize);
    }
  }

  bool next(Pixels& out) {
    if (at_ == tasks_.size()) return false;
    const Task& task = tasks_[at_++];
    PixelQuery query;
    query.rows = task.rows;
    query.columns = task.columns;
    out = map_.fetch(query, &observer_);
    mirror(out, task.end_row);
    if (task.transposed) std::swap(out.bin1, out.bin2);
    return true;
  }

 private:
  struct Task {
    BinRange rows;
    BinRange columns;
    std::int64_t end_row = 0;  // of the part: up to there it lies on both sides of the diagonal
    bool transposed = false;
  };

  // Cuts of the rows at least `chunksize` stored pixels apart, spread evenly.
  void add(BinRange rows, BinRange columns, bool transposed, std::int64_t chunksize) {
    if (rows.first >= rows.end || columns.first >= columns.end) return;
    const std::vector<std::int64_t> offsets = map_.pixel_offsets(rows);
    const std::int64_t low = offsets.front();
    const std::int64_t high = offsets.back();
    const std::int64_t n_steps = 1 + (high - low) / chunksize;
    const double step = static_cast<double>(high - low) / static_cast<double>(n_steps);
    std::int64_t previous = -1;
    for (std::int64_t i = 0; i <= n_steps; ++i) {
      const std::int64_t cut =
          i == n_steps
              ? high
              : static_cast<std::int64_t>(static_cast<double>(i) * step + static_cast<double>(low));
      const std::int64_t edge =
          std::lower_bound(offsets.begin(), offsets.end(), cut) - offsets.begin();
      if (edge == previous) continue;
      if (previous >= 0) {
        tasks_.push_back(
            {{rows.first + previous, rows.first + edge}, columns, rows.end, transposed});
      }
      previous = edge;
    }
  }

  static void mirror(Pixels& pixels, std::int64_t end_row) {
    const std::size_t n = pixels.bin1.size();
    std::visit(
        [&](auto& values) {
          for (std::size_t i = 0; i < n; ++i) {
            if (pixels.bin1[i] == pixels.bin2[i] || pixels.bin2[i] >= end_row) continue;
            const std::int64_t row = pixels.bin2[i];
            pixels.bin2.push_back(pixels.bin1[i]);
            pixels.bin1.push_back(row);
            values.push_back(+values[i]);
          }
        },
        pixels.values);
  }

  const ContactMap& map_;
  Observer& observer_;
  std::vector<Task> tasks_;
  std::size_t at_ = 0;
};

class PixelText {
 public:
  PixelText(const ContactMap& map, const DumpOptions& options, const FloatFormat& format)
      : map_(map), options_(options), format_(format), bins_(map, format_) {
    choose_weights();
    choose_columns();
  }

  void write(TextOutput& output, Observer& observer) {
    if (options_.header) append_header(output.text(), columns_);
    BinRange rows{0, map_.n_bins()};
    if (!options_.range.empty()) rows = map_.bins_of(options_.range);
    BinRange columns = rows;
    if (!options_.range.empty() && !options_.range2.empty())
      columns = map_.bins_of(options_.range2);
    if (options_.fill_lower && map_.is_symmetric()) {
      MirroredChunks chunks(map_, rows, columns, options_.chunksize, observer);
      while (chunks.next(block_)) write_block(output);
    } else {
      PixelQuery query;
      query.rows = rows;
      query.columns = columns;
      PixelStream stream = map_.pixels(query, &observer);
      while (stream.next(block_)) write_block(output);
    }
  }

 private:
  void choose_weights() {
    if (!options_.balanced && options_.weight_name.empty()) return;
    const std::string name = options_.weight_name.empty() ? "weight" : options_.weight_name;
    const auto& known = map_.bin_columns();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fail(ErrorCode::usage, "{}: balancing weights '{}' not found", map_.uri(), name);
    }
    const TableColumn column = map_.bin_column(name);
    single_precision_ = std::holds_alternative<std::vector<float>>(column);
    whole_ = std::holds_alternative<std::vector<std::int64_t>>(column);
    weights_ = map_.weights(name);
  }

  void choose_columns() {
    const RowOf bin1 = [this](std::size_t row) {
      return static_cast<std::size_t>(block_.bin1[row]);
    };
    const RowOf bin2 = [this](std::size_t row) {
      return static_cast<std::size_t>(block_.bin2[row]);
    };
    const std::int64_t first_position = options_.one_based_starts ? 1 : 0;
    const auto add_bins = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        columns_.push_back(bins_.column(name, "1", first_position, bin1));
      }
      for (const std::string& name : names) {
        columns_.push_back(bins_.column(name, "2", first_position, bin2));
      }
    };
    if (options_.join) {
      add_bins({"chrom", "start", "end"});
    } else {
      const std::int64_t first_id = options_.one_based_ids ? 1 : 0;
      columns_.push_back({"bin1_id", [this, first_id](std::string& out, std::size_t row) {
                            append_integer(out, block_.bin1[row] + first_id);
                          }});
      columns_.push_back({"bin2_id", [this, first_id](std::string& out, std::size_t row) {
                            append_integer(out, block_.bin2[row] + first_id);
                          }});
    }
    columns_.push_back(
        {"count", [this](std::string& out, std::size_t row) { write_count(out, row); }});
    if (!weights_.empty()) {
      columns_.push_back(
          {"balanced", [this](std::string& out, std::size_t row) { write_balanced(out, row); }});
    }
    add_bins(names_in(options_.annotate));
    select_columns();
  }

  void select_columns() {
    const std::vector<std::string> names = names_in(options_.columns);
    if (names.empty()) return;
    std::vector<TextColumn> selected;
    for (const std::string& name : names) {
      const auto found =
          std::find_if(columns_.begin(), columns_.end(),
                       [&](const TextColumn& column) { return column.name == name; });
      if (found == columns_.end()) {
        fail(ErrorCode::usage, "{}: there is no column '{}' among those to print", map_.uri(),
             name);
      }
      selected.push_back(*found);
    }
    columns_ = std::move(selected);
  }

  void write_block(TextOutput& output) {
    for (std::size_t row = 0; row < block_.bin1.size(); ++row) {
      append_row(output.text(), columns_, row);
      output.flush_if_full();
    }
  }

  void write_count(std::string& out, std::size_t row) const {
    std::visit(
        [&](const auto& counts) {
          if constexpr (std::is_floating_point_v<
                            typename std::decay_t<decltype(counts)>::value_type>) {
            format_.append(out, counts[row]);
          } else {
            append_integer(out, counts[row]);
          }
        },
        block_.values);
  }

  // In the type that numpy gives the product: weights of single precision stay in it, and whole
  // numbers (columns that are no weights, but can be named) stay whole while they fit.
  void write_balanced(std::string& out, std::size_t row) const {
    const double first = weights_[static_cast<std::size_t>(block_.bin1[row])];
    const double second = weights_[static_cast<std::size_t>(block_.bin2[row])];
    std::visit(
        [&](const auto& counts) {
          using Count = typename std::decay_t<decltype(counts)>::value_type;
          const double product = first * second * static_cast<double>(counts[row]);
          if (whole_ && std::is_integral_v<Count> && std::abs(product) < 0x1p53) {
            append_integer(out, static_cast<std::int64_t>(product));
          } else if (!single_precision_) {
            format_.append(out, product);
          } else if constexpr (std::is_same_v<Count, float>) {
            format_.append(out,
                           static_cast<float>(first) * static_cast<float>(second) * counts[row]);
          } else {
            const float both = static_cast<float>(first) * static_cast<float>(second);
            format_.append(out, double{both} * static_cast<double>(counts[row]));
          }
        },
        block_.values);
  }

  const ContactMap& map_;
  const DumpOptions& options_;
  const FloatFormat& format_;
  BinColumns bins_;
  std::vector<double> weights_;
  bool single_precision_ = false;
  bool whole_ = false;
  std::vector<TextColumn> columns_;
  Pixels block_;
};

std::size_t same_row(std::size_t row) { return row; }

void write_table(const std::vector<TextColumn>& columns, std::size_t n_rows,
                 const DumpOptions& options) {
  TextOutput output(options.out, options.uri);
  if (options.header) append_header(output.text(), columns);
  for (std::size_t row = 0; row < n_rows; ++row) {
    append_row(output.text(), columns, row);
    output.flush_if_full();
  }
  output.finish();
}

// Columns that are not asked for are not read.
std::vector<std::string> wanted(const DumpOptions& options, std::vector<std::string> of_schema,
                                const std::vector<std::string>& others) {
  of_schema.insert(of_schema.end(), others.begin(), others.end());
  const std::vector<std::string> names = names_in(options.columns);
  if (names.empty()) return of_schema;
  for (const std::string& name : names) {
    if (std::find(of_schema.begin(), of_schema.end(), name) == of_schema.end()) {
      fail(ErrorCode::usage, "{}: the table {} has no column '{}'", options.uri, options.table,
           name);
    }
  }
  return names;
}

void write_bins(const ContactMap& map, const DumpOptions& options, const FloatFormat& format) {
  BinColumns bins(map, format);
  std::vector<TextColumn> columns;
  for (const std::string& name : wanted(options, {"chrom", "start", "end"}, map.bin_columns())) {
    columns.push_back(bins.column(name, "", 0, same_row));
  }
  write_table(columns, static_cast<std::size_t>(map.n_bins()), options);
}

void write_chromosomes(const ContactMap& map, const DumpOptions& options,
                       const FloatFormat& format) {
  std::vector<TextColumn> columns;
  for (const std::string& name : wanted(options, {"name", "length"}, map.chromosome_columns())) {
    TableColumn cells = std::vector<std::string>{};
    if (name == "name") {
      for (const Chromosome& chromosome : map.chromosomes()) {
        std::get<std::vector<std::string>>(cells).push_back(chromosome.name);
      }
    } else if (name == "length") {
      std::vector<std::int64_t> lengths;
      for (const Chromosome& chromosome : map.chromosomes()) lengths.push_back(chromosome.length);
      cells = std::move(lengths);
    } else {
      cells = map.chromosome_column(name);
    }
    columns.push_back(make_column(name, std::move(cells), format, same_row));
  }
  write_table(columns, map.chromosomes().size(), options);
}

class Dump : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("dump", "Print a map's tables or pixels as text");
    command->add_option("COOL_URI", options_.uri, "Map: FILE or FILE::GROUP")
        ->required()
        ->type_name("");
    declare_table(*command);
    declare_selection(*command);
    declare_format(*command);
    add_console_options(*command);
    return command;
  }

  [[nodiscard]] Spellings spellings() const override { return {{"-r2", "--range2"}}; }

  void check() const override {
    static_cast<void>(FloatFormat(options_.float_format, options_.missing));
    if (options_.chunksize < 1) fail(ErrorCode::usage, "--chunksize must be at least 1");
  }

  int run(Console& console) override {
    const ContactMap map(options_.uri);
    for (const std::string& note : map.notes()) console.note(note);
    const FloatFormat format(options_.float_format, options_.missing);
    if (options_.table == "pixels") {
      PixelText text(map, options_, format);
      TextOutput output(options_.out, options_.uri);
      text.write(output, console);
      output.finish();
    } else if (options_.table == "bins") {
      write_bins(map, options_, format);
    } else {
      write_chromosomes(map, options_, format);
    }
    return 0;
  }

 private:
  void declare_table(CLI::App& command) {
    command
        .add_option("-t,--table", options_.table,
                    "chroms, bins or pixels; options about pixels hold for pixels only "
                    "[default: pixels]")
        ->check(CLI::IsMember({"chroms", "bins", "pixels"}))
        ->type_name("TABLE");
    command
        .add_option("-c,--columns", options_.columns,
                    "Only these columns, in this order: names with commas between [default: all]")
        ->type_name("NAMES");
    command.add_flag("-H,--header", options_.header, "Print the names of the columns first");
  }

  void declare_selection(CLI::App& command) {
    command
        .add_option("-r,--range", options_.range,
                    "Rows of the matrix: CHROM or CHROM:START-END, from 0 in bp, END not included "
                    "(chr1:10,000,000-11,000,000) [default: all]")
        ->type_name("REGION");
    command
        .add_option("--range2", options_.range2,
                    "Columns of the matrix, also spelled -r2 [default: the same as the rows]")
        ->type_name("REGION");
    command.add_flag("-f,--fill-lower", options_.fill_lower,
                     "Of a symmetric map, print the mirror images below the diagonal too");
    command.add_flag("-b,--balanced,!--no-balance", options_.balanced,
                     "Add a column `balanced`: count times the weights of both bins");
    command
        .add_option("--weight-name", options_.weight_name,
                    "Column of the bins to balance with; means --balanced [default: weight]")
        ->type_name("NAME");
    command.add_flag("--join", options_.join,
                     "Print chromosome, start and end of both bins in place of their ids");
    command
        .add_option("--annotate", options_.annotate,
                    "Further columns of the bins to print for both: names with commas between")
        ->type_name("NAMES");
    command
        .add_option(
            "-k,--chunksize", options_.chunksize,
            "Stored pixels after which --fill-lower prints mirror images [default: 1000000]")
        ->type_name("INT");
  }

  void declare_format(CLI::App& command) {
    command.add_option("--na-rep", options_.missing, "What stands for NaN [default: nothing]")
        ->type_name("TEXT");
    command
        .add_option("--float-format", options_.float_format,
                    "Format of floating point numbers, as printf has it without the %: .12g, 03.2f "
                    "[default: g]")
        ->type_name("FORMAT");
    command.add_flag("--one-based-ids", options_.one_based_ids, "Count bin ids from 1");
    command.add_flag("--one-based-starts", options_.one_based_starts, "Count starts from 1");
    command
        .add_option("-o,--out", options_.out,
                    "Output file, compressed when it ends in .gz [default: standard output]")
        ->type_name("FILE");
  }

  DumpOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_dump() { return std::make_unique<Dump>(); }

}  // namespace ziggurat::cli
