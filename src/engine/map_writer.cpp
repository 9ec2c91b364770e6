#include "engine/map_writer.hpp"

#include "base/check.hpp"
#include "cool/attributes.hpp"
#include "engine/level_writer.hpp"
#include "engine/output.hpp"
#include "engine/paths.hpp"
#include "reader/batch_block.hpp"

namespace ziggurat::engine {

MapWriter::MapWriter(const std::string& output_uri, bool append, Settings settings)
    : settings_(std::move(settings)), output_(genome::parse_uri(output_uri)), append_(append) {
  output_.file = behind_link(output_.file);
  check_output_path(output_.file);
  check_group(output_.file, output_.group, append, settings_.reader_program);
  const std::string parent =
      settings_.temporary_folder.empty() ? folder_of(output_.file) : settings_.temporary_folder;
  folder_ = std::make_unique<WorkFolder>(parent, name_of(output_.file));
}

MapWriter::~MapWriter() = default;

LevelReport MapWriter::write_file(const std::string& path, const MapDraft& draft, PixelFeed& feed,
                                  Observer& observer) {
  const cool::LevelLayout layout{draft.bins, draft.mode, draft.fields, settings_.compression_level};
  // Gone before the writer, whatever happens: its threads work on chunks of the writer's file.
  std::unique_ptr<LevelWriter> writer;
  EncoderPool pool(settings_.processes, settings_.compression_level);
  writer = std::make_unique<LevelWriter>(path, layout, nullptr, pool, LogPlace{});
  for (coarsen::PixelBatch batch; feed.next(batch);) {
    writer->add(reader::block_of(batch), reader::view_of(batch));
  }
  LevelReport report;
  report.resolution = draft.bins.bin_size().value_or(1);
  report.n_bins = draft.bins.n_bins();
  report.n_pixels = static_cast<std::int64_t>(writer->n_pixels());
  if (const auto sum = writer->sum()) {
    report.sum = sum->is_float ? fmt::format("{}", sum->real) : std::to_string(sum->integer);
  }
  for (const std::string& note : writer->notes()) observer.note(output_.file + ": " + note);
  report.count_type = name(writer->layout().fields.front().type);
  cool::LevelSummary summary;
  summary.assembly = draft.assembly;
  summary.metadata = draft.metadata;
  summary.creation_date = cool::creation_date();
  writer->finish(summary);
  report.bytes = identify(path).size;
  return report;
}

BuildReport MapWriter::write(const MapDraft& draft, PixelFeed& feed, Observer& observer) {
  const bool extend = append_ && exists(output_.file);
  // The output is put together beside its place, so that a rename is all that is left to do.
  const WorkFolder beside(folder_of(output_.file), name_of(output_.file));
  beside.remove_abandoned(observer);
  folder_->remove_abandoned(observer);
  const std::string complete = beside.file("assembled");
  const std::string level = extend ? folder_->file("map") : complete;
  BuildReport report;
  report.output = output_.file;
  report.processes = settings_.processes;
  report.levels.push_back(write_file(level, draft, feed, observer));
  report.levels.back().group = output_.group;
  cool::PyramidFile output = extend ? copied_output(complete, output_.file)
                                    : cool::PyramidFile::grow(complete, output_.group);
  if (extend) output.add(level, output_.group);
  output.finish();
  if (observer.cancelled()) fail(ErrorCode::cancelled, "stopped");
  publish(complete, output_.file);
  report.bytes = identify(output_.file).size;
  return report;
}

}  // namespace ziggurat::engine
