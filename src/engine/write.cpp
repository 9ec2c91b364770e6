#include "ziggurat/write.hpp"

#include "base/check.hpp"
#include "engine/map_writer.hpp"
#include "engine/plan.hpp"
#include "genome/bin_columns.hpp"
#include "h5/handle.hpp"

namespace ziggurat {

namespace engine {

namespace {

// Pixels from outside: proven, and turned into batches.
class CheckedFeed : public PixelFeed {
 public:
  CheckedFeed(PixelSource& source, const MapDraft& draft, Observer& observer)
      : source_(source), draft_(draft), observer_(observer) {}

  bool next(coarsen::PixelBatch& batch) override {
    if (observer_.cancelled()) fail(ErrorCode::cancelled, "stopped");
    do {
      if (!source_.next(block_)) return false;
    } while (block_.bin1.empty());
    batch.clear();
    batch.runs.clear();
    take_cells(batch);
    take_values(batch);
    done_ += block_.bin1.size();
    observer_.progress({"writing", draft_.fields.front().name, done_, 0});
    return true;
  }

 private:
  void take_cells(coarsen::PixelBatch& batch) {
    if (block_.bin2.size() != block_.bin1.size()) refuse_lengths();
    batch.columns.resize(block_.bin1.size());
    for (std::size_t i = 0; i < block_.bin1.size(); ++i) {
      const std::int64_t row = block_.bin1[i];
      const std::int64_t column = block_.bin2[i];
      check(row, column);
      batch.columns[i] = static_cast<std::uint32_t>(column);
      if (batch.runs.empty() || batch.runs.back().row != row) {
        batch.runs.push_back({static_cast<std::uint32_t>(row), 0});
      }
      ++batch.runs.back().n;
    }
  }

  void check(std::int64_t row, std::int64_t column) {
    const std::int64_t n_bins = draft_.bins.n_bins();
    const auto refuse = [&](const char* why) {
      fail(ErrorCode::usage, "pixel (bin1 {}, bin2 {}) {}", row, column, why);
    };
    if (row < 0 || column < 0 || row >= n_bins || column >= n_bins) refuse("lies outside the map");
    if (draft_.mode == cool::StorageMode::symmetric_upper && column < row) {
      refuse("lies below the diagonal of a symmetric map");
    }
    if (row < row_ || (row == row_ && column <= column_)) refuse("comes again or out of order");
    row_ = row;
    column_ = column;
  }

  void take_values(coarsen::PixelBatch& batch) const {
    const NumberType type = draft_.fields.front().type;
    const auto* narrow = std::get_if<std::vector<std::int32_t>>(&block_.values);
    batch.compact = narrow != nullptr && type == NumberType::i32;
    batch.counts.clear();
    batch.values.clear();
    if (batch.compact) {
      if (narrow->size() != batch.size()) refuse_lengths();
      batch.counts.assign(narrow->begin(), narrow->end());
      return;
    }
    pixels::Column column = pixels::make_column(pixels::kind_of(type));
    std::visit(
        [&](auto& target, const auto& values) {
          if (values.size() != batch.size()) refuse_lengths();
          using Target = typename std::decay_t<decltype(target)>::value_type;
          using Value = typename std::decay_t<decltype(values)>::value_type;
          if constexpr (std::is_integral_v<Target> && std::is_floating_point_v<Value>) {
            fail(ErrorCode::usage, "values of floating point do not go into a column of {}",
                 name(type));
          } else {
            target.assign(values.begin(), values.end());
          }
        },
        column, block_.values);
    batch.values.push_back(std::move(column));
  }

  [[noreturn]] static void refuse_lengths() {
    fail(ErrorCode::usage, "a block of pixels has arrays of different lengths");
  }

  PixelSource& source_;
  const MapDraft& draft_;
  Observer& observer_;
  Pixels block_;
  std::uint64_t done_ = 0;
  std::int64_t row_ = -1;
  std::int64_t column_ = -1;
};

genome::BinTable bins_of(const NewMap& map) {
  std::vector<genome::Chromosome> chromosomes;
  for (const Chromosome& chromosome : map.chromosomes) {
    if (chromosome.name.empty() || chromosome.length < 1) {
      fail(ErrorCode::usage, "chromosome '{}' of {} bp makes no sense", chromosome.name,
           chromosome.length);
    }
    chromosomes.push_back({chromosome.name, chromosome.length});
  }
  if (map.bin_size > 0) return genome::BinTable::uniform(std::move(chromosomes), map.bin_size);
  const std::vector<std::int64_t> ids(map.bins.chromosomes.begin(), map.bins.chromosomes.end());
  try {
    std::vector<std::int64_t> offsets =
        genome::chrom_offsets_from_ids(ids, static_cast<std::int64_t>(chromosomes.size()));
    return genome::BinTable::explicit_bins(std::move(chromosomes), std::move(offsets),
                                           map.bins.starts, map.bins.ends, std::nullopt);
  } catch (const Error& error) {
    fail(ErrorCode::usage, "the bins make no sense: {}", error.what());
  }
}

MapDraft draft_of(const NewMap& map) {
  const std::optional<NumberType> type = parse_number_type(map.type);
  if (!type) fail(ErrorCode::usage, "'{}' is no type of numbers", map.type);
  MapDraft draft;
  draft.bins = bins_of(map);
  draft.mode = map.symmetric ? cool::StorageMode::symmetric_upper : cool::StorageMode::square;
  draft.fields = {{map.field, *type}};
  draft.assembly = map.assembly;
  draft.metadata = map.metadata;
  return draft;
}

}  // namespace

}  // namespace engine

BuildReport write_map(const WriteRequest& request, PixelSource& pixels, Observer& observer) {
  const h5::QuietErrors quiet;
  const engine::MapDraft draft = engine::draft_of(request.map);
  engine::MapWriter writer(request.output, request.append, engine::decided(request.settings));
  engine::CheckedFeed feed(pixels, draft, observer);
  return writer.write(draft, feed, observer);
}

}  // namespace ziggurat
