// Sorted records as the pixels of a map: counted, or with values combined.
//
// Thread rules: one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coarsen/row_aggregator.hpp"
#include "contacts/keys.hpp"
#include "contacts/run_merge.hpp"
#include "engine/map_writer.hpp"

namespace ziggurat::engine {

struct RecordFeedLayout {
  contacts::KeyLayout keys{0};
  std::int64_t n_bins = 0;
  std::string label;        // of the input, for messages
  std::string output;       // for progress
  std::uint64_t total = 0;  // contacts; a bound of the pixels
};

// One-word records; a pixel's value is how many contacts it has, stored as `type`.
class CountFeed : public PixelFeed {
 public:
  CountFeed(contacts::RunMerge& records, RecordFeedLayout layout, NumberType type,
            Observer& observer);

  bool next(coarsen::PixelBatch& batch) override;

 private:
  void put(coarsen::PixelBatch& batch, std::uint64_t key, std::uint64_t count) const;

  contacts::RunMerge& records_;
  RecordFeedLayout layout_;
  NumberType type_;
  Observer& observer_;
  std::uint64_t done_ = 0;
  const std::uint64_t* record_;  // the next; null after the last
};

// What one value column of the map is made from.
struct RecordField {
  coarsen::FieldRule rule;
  int word = 0;  // of the record; 0: every record stands for 1
};

// Records with values, which rules combine in the order of the records.
class ValueFeed : public PixelFeed {
 public:
  // `refuse_repeats`: a second record of a pixel ends the run with Error{format} that names it.
  ValueFeed(contacts::RunMerge& records, RecordFeedLayout layout, std::vector<RecordField> fields,
            bool refuse_repeats, Observer& observer);

  bool next(coarsen::PixelBatch& batch) override;

 private:
  void prepare(coarsen::PixelBatch& batch, bool combined) const;
  void gather();

  contacts::RunMerge& records_;
  RecordFeedLayout layout_;
  std::vector<RecordField> fields_;
  bool refuse_repeats_;
  Observer& observer_;
  std::vector<std::uint32_t> ids_;
  std::unique_ptr<coarsen::RowAggregator> aggregator_;
  coarsen::PixelBatch rows_;
  std::optional<std::uint64_t> last_pixel_;
  std::uint64_t done_ = 0;
  bool ended_ = false;
};

}  // namespace ziggurat::engine
