// Reading maps through child processes that keep them open.
//
// A map has a pool of clients, each a child process. A question takes an idle one, or starts one;
// a client whose question was answered to the end goes back to the pool, one that was left half way
// or failed is dropped with its child. So any number of threads and streams go on independently,
// and a program that asks one thing after another uses one child.
//
// Full triangle of a symmetric map: the rows are cut into bands. Of a band, what is stored in its
// rows is its upper part, and what is stored in its columns, transposed, its lower part. Both come
// sorted by their stored row, so counting the pixels of each row and dealing them out, lower part
// first, sorts them without a comparison. Cost: the rows above a band are read once more for each
// band; up to about eight million pixels there is one band.
#include "ziggurat/read.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "base/check.hpp"
#include "engine/map_client.hpp"
#include "engine/paths.hpp"
#include "genome/bin_difference.hpp"
#include "genome/region.hpp"
#include "proc/reader_program.hpp"

namespace ziggurat {

namespace {

// Stored pixels of a band's rows, more or less.
constexpr std::int64_t kBandPixels = std::int64_t{1} << 22;
constexpr std::uint64_t kSlotBytes = std::uint64_t{1} << 20;

// Whoever names no observer is never asked and hears nothing.
Observer& observer_or_silent(Observer* observer) {
  static Observer silent;
  return observer != nullptr ? *observer : silent;
}

PixelValues make_values(reader::ValueForm form) {
  switch (form) {
    case reader::ValueForm::i32:
      return std::vector<std::int32_t>{};
    case reader::ValueForm::i64:
      return std::vector<std::int64_t>{};
    case reader::ValueForm::f32:
      return std::vector<float>{};
    case reader::ValueForm::f64:
      break;
  }
  return std::vector<double>{};
}

// An empty array of the same type.
PixelValues same_type(const PixelValues& values) {
  return std::visit(
      [](const auto& numbers) -> PixelValues { return std::decay_t<decltype(numbers)>{}; }, values);
}

void append(PixelValues& target, const PixelValues& source) {
  std::visit(
      [&](auto& to) {
        const auto& from = std::get<std::decay_t<decltype(to)>>(source);
        to.insert(to.end(), from.begin(), from.end());
      },
      target);
}

void append(Pixels& target, const Pixels& source) {
  if (target.size() == 0) target.values = same_type(source.values);
  target.bin1.insert(target.bin1.end(), source.bin1.begin(), source.bin1.end());
  target.bin2.insert(target.bin2.end(), source.bin2.begin(), source.bin2.end());
  append(target.values, source.values);
}

// The pixels of a block, with ids as the world sees them.
void unpack(const engine::MapClient::Answer& answer, Pixels& out) {
  out.bin1.resize(answer.view.columns.size());
  auto row = out.bin1.begin();
  for (const RowRun run : answer.view.runs) row = std::fill_n(row, run.n, std::int64_t{run.row});
  out.bin2.assign(answer.view.columns.begin(), answer.view.columns.end());
  out.values = make_values(answer.block.forms.front());
  const std::span<const std::byte> bytes = answer.view.values.front();
  std::visit(
      [&](auto& numbers) {
        using Number = typename std::decay_t<decltype(numbers)>::value_type;
        const auto* first = reinterpret_cast<const Number*>(bytes.data());
        numbers.assign(first, first + out.bin1.size());
      },
      out.values);
}

void balance(const std::vector<double>& weights, Pixels& pixels) {
  std::vector<double> balanced(pixels.bin1.size());
  std::visit(
      [&](const auto& counts) {
        for (std::size_t i = 0; i < balanced.size(); ++i) {
          balanced[i] = weights[static_cast<std::size_t>(pixels.bin1[i])] *
                        weights[static_cast<std::size_t>(pixels.bin2[i])] *
                        static_cast<double>(counts[i]);
        }
      },
      pixels.values);
  pixels.values = std::move(balanced);
}

// The pixels of a band from its two parts, sorted. `lower` holds pixels as they are stored, by
// (column, row) of the band.
Pixels join_triangles(BinRange rows, const Pixels& upper, const Pixels& lower) {
  const auto n_rows = static_cast<std::size_t>(rows.end - rows.first);
  std::vector<std::size_t> places(n_rows + 1);
  const auto row_of = [&](std::int64_t bin) { return static_cast<std::size_t>(bin - rows.first); };
  for (const std::int64_t row : lower.bin2) ++places[row_of(row) + 1];
  for (const std::int64_t row : upper.bin1) ++places[row_of(row) + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  Pixels joined;
  joined.bin1.resize(places.back());
  joined.bin2.resize(places.back());
  joined.values = same_type(upper.size() > 0 ? upper.values : lower.values);
  std::visit(
      [&](auto& values) {
        using Values = std::decay_t<decltype(values)>;
        values.resize(places.back());
        const auto deal = [&](const std::vector<std::int64_t>& from_rows,
                              const std::vector<std::int64_t>& from_columns, const Pixels& from) {
          if (from.size() == 0) return;
          const Values& numbers = std::get<Values>(from.values);
          for (std::size_t i = 0; i < numbers.size(); ++i) {
            const std::size_t place = places[row_of(from_rows[i])]++;
            joined.bin1[place] = from_rows[i];
            joined.bin2[place] = from_columns[i];
            values[place] = numbers[i];
          }
        };
        deal(lower.bin2, lower.bin1, lower);
        deal(upper.bin1, upper.bin2, upper);
      },
      joined.values);
  return joined;
}

bool divides(const PixelQuery& query) {
  if (query.use) return *query.use == WeightUse::divide;
  return query.weights == "KR" || query.weights == "VC" || query.weights == "VC_SQRT";
}

}  // namespace

class ContactMap::State {
 public:
  State(const std::string& uri_text, const std::string& reader_program)
      : text(uri_text),
        uri(genome::parse_uri(uri_text)),
        program_(proc::reader_program(reader_program)) {
    auto client =
        std::make_unique<engine::MapClient>(program_, uri, kSlotBytes, observer_or_silent(nullptr));
    opened = client->opened();
    identity_ = engine::identify(uri.file);
    for (const genome::Chromosome& chromosome : opened.description.bins.chromosomes()) {
      chromosomes.push_back({chromosome.name, chromosome.length});
    }
    give_back(std::move(client));
  }

  using Client = std::unique_ptr<engine::MapClient>;

  Client take(Observer& observer) {
    {
      const std::lock_guard lock(mutex_);
      while (!idle_.empty()) {
        Client client = std::move(idle_.back());
        idle_.pop_back();
        if (client->usable()) return client;
      }
    }
    if (engine::identify(uri.file) != identity_) {
      fail(ErrorCode::input, "{} was changed since it was opened", uri.file);
    }
    return std::make_unique<engine::MapClient>(program_, uri, kSlotBytes, observer);
  }

  void give_back(Client client) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(client));
  }

  [[nodiscard]] TableColumn column(const std::string& table, const std::string& name) {
    Observer& observer = observer_or_silent(nullptr);
    Client client = take(observer);
    TableColumn column = client->column(table, name, observer);
    give_back(std::move(client));
    const genome::BinTable& bins = opened.description.bins;
    const auto n = static_cast<std::size_t>(table == "bins" ? bins.n_bins() : bins.n_chroms());
    if (std::visit([](const auto& values) { return values.size(); }, column) != n) {
      fail(ErrorCode::worker, "the reader of {} sent a column of another length", text);
    }
    return column;
  }

  [[nodiscard]] std::vector<std::int64_t> row_offsets(BinRange rows, Observer& observer) {
    check_range(rows);
    Client client = take(observer);
    std::vector<std::int64_t> offsets = client->row_offsets(rows.first, rows.end, observer);
    give_back(std::move(client));
    return offsets;
  }

  void check_range(BinRange range) const {
    if (range.first < 0 || range.first > range.end || range.end > n_bins()) {
      fail(ErrorCode::usage, "{}: bins {} to {} are not within the map's {}", text, range.first,
           range.end, n_bins());
    }
  }

  // No pixels still have the type that some would have.
  [[nodiscard]] PixelValues empty_values(const PixelQuery& query) const {
    if (!query.weights.empty()) return std::vector<double>{};
    switch (pixels::kind_of(field(query.field).type)) {
      case pixels::ColumnKind::integer:
        if (is_int32(query.field)) return std::vector<std::int32_t>{};
        return std::vector<std::int64_t>{};
      case pixels::ColumnKind::single_precision:
        return std::vector<float>{};
      case pixels::ColumnKind::double_precision:
        break;
    }
    return std::vector<double>{};
  }

  [[nodiscard]] const cool::PixelColumn& field(const std::string& name) const {
    for (const cool::PixelColumn& column : opened.description.fields) {
      if (column.name == name) return column;
    }
    fail(ErrorCode::usage, "{}: pixel value column '{}' is missing", text, name);
  }

  [[nodiscard]] bool is_int32(const std::string& name) const {
    return field(name).type == NumberType::i32;
  }

  [[nodiscard]] std::int64_t n_bins() const { return opened.description.bins.n_bins(); }
  [[nodiscard]] bool is_symmetric() const {
    return opened.description.mode == pixels::StorageMode::symmetric_upper;
  }

  const std::string text;
  const genome::Uri uri;
  reader::Opened opened;
  std::vector<Chromosome> chromosomes;

 private:
  std::string program_;
  engine::FileIdentity identity_;
  std::mutex mutex_;
  std::vector<Client> idle_;  // guarded by mutex_
};

class PixelStream::State {
 public:
  State(std::shared_ptr<ContactMap::State> map, const PixelQuery& query, Observer* observer)
      : map_(std::move(map)),
        query_(query),
        observer_(observer_or_silent(observer)),
        full_(query.triangle == Triangle::full && map_->is_symmetric()),
        narrow_(map_->is_int32(query.field)) {
    map_->check_range(query.rows);
    map_->check_range(query.columns);
    if (query.columns.first == query.columns.end) query_.rows.end = query_.rows.first;
    if (!full_) return;
    band_ = query_.rows.first;
    offsets_ = map_->row_offsets(query_.rows, observer_);
  }

  void set_weights(std::vector<double> weights) {
    weights_ = std::move(weights);
    if (!divides(query_)) return;
    for (double& weight : weights_) weight = 1 / weight;
  }

  bool next(Pixels& block) {
    const bool found = full_ ? next_band(block) : next_stored(block);
    if (found && !query_.weights.empty()) balance(weights_, block);
    return found;
  }

 private:
  bool next_stored(Pixels& block) {
    if (ended_) return false;
    if (!client_) ask(query_.rows, query_.columns);
    if (take_block(block)) return true;
    ended_ = true;
    return false;
  }

  void ask(BinRange rows, BinRange columns) {
    client_ = map_->take(observer_);
    reader::LookUp question;
    question.fields = {query_.field};
    question.first_row = static_cast<std::uint64_t>(rows.first);
    question.end_row = static_cast<std::uint64_t>(rows.end);
    question.first_column = static_cast<std::uint64_t>(columns.first);
    question.end_column = static_cast<std::uint64_t>(columns.end);
    client_->start(question, observer_);
  }

  bool take_block(Pixels& block) {
    if (const engine::MapClient::Answer* answer = client_->next(observer_)) {
      unpack(*answer, block);
      if (narrow_) narrow_values(block);
      return true;
    }
    map_->give_back(std::move(client_));
    return false;
  }

  // The first band from band_ on that has pixels.
  bool next_band(Pixels& block) {
    while (band_ < query_.rows.end) {
      const BinRange rows = {band_, end_of_band()};
      band_ = rows.end;
      const Pixels upper = gather(rows, query_.columns, false);
      const BinRange above = {
          query_.columns.first,
          std::max(query_.columns.first, std::min(query_.columns.end, rows.end))};
      const Pixels lower = gather(above, rows, true);
      if (upper.size() + lower.size() == 0) continue;
      block = join_triangles(rows, upper, lower);
      return true;
    }
    return false;
  }

  [[nodiscard]] std::int64_t end_of_band() const {
    const auto at = offsets_.begin() + (band_ - query_.rows.first);
    const auto past = std::upper_bound(at + 1, offsets_.end(), *at + kBandPixels);
    return band_ + std::max<std::int64_t>(past - (at + 1), 1);
  }

  // Stored pixels of a rectangle, without the diagonal when asked.
  Pixels gather(BinRange rows, BinRange columns, bool off_diagonal) {
    Pixels all;
    if (rows.first == rows.end) return all;
    ask(rows, columns);
    for (Pixels part; take_block(part);) {
      if (off_diagonal) drop_diagonal(part);
      if (part.size() > 0) append(all, part);
    }
    return all;
  }

  // Columns in layouts that are not read directly come in 64 bits.
  static void narrow_values(Pixels& pixels) {
    if (const auto* wide = std::get_if<std::vector<std::int64_t>>(&pixels.values)) {
      pixels.values = std::vector<std::int32_t>(wide->begin(), wide->end());
    }
  }

  static void drop_diagonal(Pixels& pixels) {
    std::visit(
        [&](auto& values) {
          std::size_t to = 0;
          for (std::size_t i = 0; i < values.size(); ++i) {
            if (pixels.bin1[i] == pixels.bin2[i]) continue;
            pixels.bin1[to] = pixels.bin1[i];
            pixels.bin2[to] = pixels.bin2[i];
            values[to++] = values[i];
          }
          pixels.bin1.resize(to);
          pixels.bin2.resize(to);
          values.resize(to);
        },
        pixels.values);
  }

  std::shared_ptr<ContactMap::State> map_;
  PixelQuery query_;
  Observer& observer_;
  bool full_;
  bool narrow_;
  bool ended_ = false;
  std::vector<double> weights_;
  ContactMap::State::Client client_;   // while it answers
  std::vector<std::int64_t> offsets_;  // of the rows asked for; full triangle only
  std::int64_t band_ = 0;              // first row that has not been read
};

PixelStream::PixelStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
PixelStream::PixelStream(PixelStream&&) noexcept = default;
PixelStream& PixelStream::operator=(PixelStream&&) noexcept = default;
PixelStream::~PixelStream() = default;

bool PixelStream::next(Pixels& block) { return state_->next(block); }

ContactMap::ContactMap(const std::string& uri, const std::string& reader_program)
    : state_(std::make_shared<State>(uri, reader_program)) {}

const std::string& ContactMap::uri() const { return state_->text; }

const std::vector<Chromosome>& ContactMap::chromosomes() const { return state_->chromosomes; }

const std::vector<std::int64_t>& ContactMap::chromosome_offsets() const {
  return state_->opened.description.bins.chrom_offsets();
}

std::int64_t ContactMap::n_bins() const { return state_->n_bins(); }

std::int64_t ContactMap::n_pixels() const {
  return static_cast<std::int64_t>(state_->opened.description.n_pixels);
}

std::optional<std::int64_t> ContactMap::bin_size() const {
  return state_->opened.description.bins.bin_size();
}

bool ContactMap::is_symmetric() const { return state_->is_symmetric(); }

const std::vector<std::string>& ContactMap::notes() const {
  return state_->opened.description.notes;
}

BinIntervals ContactMap::bins(BinRange range) const {
  state_->check_range(range);
  const genome::BinTable& table = state_->opened.description.bins;
  BinIntervals out;
  for (std::int64_t chrom = 0; chrom < table.n_chroms(); ++chrom) {
    const std::int64_t first = std::max(range.first, table.chrom_offset(chrom));
    const std::int64_t end = std::min(range.end, table.chrom_offset(chrom + 1));
    for (std::int64_t bin = first; bin < end; ++bin) {
      out.chromosomes.push_back(static_cast<std::int32_t>(chrom));
      out.starts.push_back(table.start(bin));
      out.ends.push_back(table.end(bin));
    }
  }
  return out;
}

std::optional<std::string> ContactMap::bin_difference(const ContactMap& other) const {
  return genome::first_difference(state_->opened.description.bins,
                                  other.state_->opened.description.bins);
}

const std::vector<std::string>& ContactMap::chromosome_columns() const {
  return state_->opened.chrom_columns;
}

const std::vector<std::string>& ContactMap::bin_columns() const {
  return state_->opened.bin_columns;
}

TableColumn ContactMap::chromosome_column(const std::string& name) const {
  return state_->column("chroms", name);
}

TableColumn ContactMap::bin_column(const std::string& name) const {
  return state_->column("bins", name);
}

std::vector<double> ContactMap::weights(const std::string& name) const {
  const TableColumn column = bin_column(name);
  return std::visit(
      [&](const auto& numbers) -> std::vector<double> {
        using Number = typename std::decay_t<decltype(numbers)>::value_type;
        if constexpr (!std::is_same_v<Number, std::string>) return {numbers.begin(), numbers.end()};
        fail(ErrorCode::usage, "{}: the column '{}' of the bins does not hold numbers",
             state_->text, name);
      },
      column);
}

std::vector<std::string> ContactMap::fields() const {
  std::vector<std::string> names;
  for (const auto& field : state_->opened.description.fields) names.push_back(field.name);
  return names;
}

std::string ContactMap::field_type(const std::string& field) const {
  return std::string(name(state_->field(field).type));
}

BinRange ContactMap::bins_of(const std::string& region) const {
  const genome::BinTable& bins = state_->opened.description.bins;
  const genome::BinRange range =
      genome::bins_touching(bins, genome::parse_region(region, bins.chromosomes()));
  return {range.first, range.end};
}

std::vector<std::int64_t> ContactMap::pixel_offsets(BinRange rows) const {
  return state_->row_offsets(rows, observer_or_silent(nullptr));
}

PixelStream ContactMap::pixels(const PixelQuery& query, Observer* observer) const {
  auto stream = std::make_unique<PixelStream::State>(state_, query, observer);
  if (!query.weights.empty()) stream->set_weights(weights(query.weights));
  return PixelStream(std::move(stream));
}

Pixels ContactMap::fetch(const PixelQuery& query, Observer* observer) const {
  Pixels all;
  PixelStream stream = pixels(query, observer);
  for (Pixels block; stream.next(block);) append(all, block);
  if (all.size() == 0) all.values = state_->empty_values(query);
  return all;
}

CsrPixels ContactMap::fetch_csr(const PixelQuery& query, Observer* observer) const {
  Pixels pixels = fetch(query, observer);
  CsrPixels csr;
  csr.n_rows = query.rows.end - query.rows.first;
  csr.n_columns = query.columns.end - query.columns.first;
  csr.offsets.resize(static_cast<std::size_t>(csr.n_rows) + 1);
  for (const std::int64_t row : pixels.bin1) {
    ++csr.offsets[static_cast<std::size_t>(row - query.rows.first) + 1];
  }
  std::partial_sum(csr.offsets.begin(), csr.offsets.end(), csr.offsets.begin());
  csr.columns = std::move(pixels.bin2);
  for (std::int64_t& column : csr.columns) column -= query.columns.first;
  csr.values = std::move(pixels.values);
  return csr;
}

}  // namespace ziggurat
