#include "reader/batch_block.hpp"

#include <span>

namespace ziggurat::reader {

std::vector<ValueForm> forms_of(const coarsen::PixelBatch& batch) {
  if (batch.compact) return {ValueForm::i32};
  std::vector<ValueForm> forms;
  for (const pixels::Column& column : batch.values) {
    switch (pixels::kind_of(column)) {
      case pixels::ColumnKind::integer:
        forms.push_back(ValueForm::i64);
        break;
      case pixels::ColumnKind::single_precision:
        forms.push_back(ValueForm::f32);
        break;
      case pixels::ColumnKind::double_precision:
        forms.push_back(ValueForm::f64);
        break;
    }
  }
  return forms;
}

Block block_of(const coarsen::PixelBatch& batch) {
  Block block;
  block.n_runs = batch.runs.size();
  block.n_pixels = batch.size();
  block.forms = forms_of(batch);
  block.exact_total = batch.exact_total;
  return block;
}

BlockView view_of(const coarsen::PixelBatch& batch) {
  BlockView view{batch.runs, batch.columns, {}};
  if (batch.compact) view.values.push_back(std::as_bytes(std::span(batch.counts)));
  for (const pixels::Column& column : batch.values) {
    if (batch.compact) break;
    std::visit([&](const auto& values) { view.values.push_back(std::as_bytes(std::span(values))); },
               column);
  }
  return view;
}

}  // namespace ziggurat::reader
