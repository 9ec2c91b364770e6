#include "cool/weight_column.hpp"

#include <cmath>

#include "cool/bin_writer.hpp"
#include "cool/table_writer.hpp"
#include "h5/journal.hpp"
#include "h5/output_file.hpp"
#include "h5/types.hpp"
#include "h5/value.hpp"

namespace ziggurat::cool {

namespace {

constexpr int kWeightLevel = 6;  // of compression, whatever the rest of the file has

// Readers expect the integers that the reference takes; a fraction, which it does not take, must
// not be lost.
void write_threshold(hid_t object, const std::string& name, double value) {
  const bool whole = std::trunc(value) == value && std::abs(value) < 0x1p53;
  if (whole) {
    h5::write_int64(object, name, static_cast<std::int64_t>(value));
  } else {
    h5::write_double(object, name, value);
  }
}

// Balanced chromosome by chromosome, a map has one of each.
void write_doubles(hid_t object, const std::string& name, const WeightColumn& column,
                   const std::vector<double>& values) {
  if (column.cis_only) {
    h5::write_doubles(object, name, values);
  } else {
    h5::write_double(object, name, values.front());
  }
}

void write_converged(hid_t object, const WeightColumn& column) {
  if (column.cis_only) {
    h5::write_bools(object, "converged", column.converged);
  } else {
    h5::write_bool(object, "converged", column.converged.front());
  }
}

// In the order of their names, which is the order of attributes that were copied.
void write_attributes(hid_t object, const WeightColumn& column) {
  h5::write_bool(object, "cis_only", column.cis_only);
  write_converged(object, column);
  h5::write_bool(object, "divisive_weights", column.divisive);
  h5::write_int64(object, "ignore_diags", column.ignore_diags);
  if (!column.iteration.empty()) h5::write_text(object, "iteration", column.iteration);
  write_threshold(object, "mad_max", column.mad_max);
  write_threshold(object, "min_count", column.min_count);
  h5::write_int64(object, "min_nnz", column.min_nnz);
  write_doubles(object, "scale", column, column.scale);
  h5::write_double(object, "tol", column.tol);
  write_doubles(object, "var", column, column.var);
}

// The old column goes first, so that the new one takes its place in the file and not the end. No
// reader ever sees the file without either: it is private, or changed all at once.
void write_column(hid_t file, const WeightColumn& column, const std::string& label) {
  const std::string group = column.group == "/" ? "/bins" : column.group + "/bins";
  const h5::Group bins = h5::open_group(file, group, label);
  if (h5::has_object(bins.id(), column.name)) h5::remove_object(bins.id(), column.name);
  TableWriter writer(kWeightLevel);
  const h5::Dataset dataset = writer.write(bins.id(), column.name, h5::number_type(NumberType::f64),
                                           std::as_bytes(column.weights), sizeof(double));
  write_attributes(dataset.id(), column);
}

}  // namespace

std::optional<h5::BlockSums> write_weights(const std::string& path,
                                           const std::vector<WeightColumn>& columns,
                                           std::optional<h5::BlockSums> content) {
  h5::OutputFile file = h5::OutputFile::open(path, std::move(content));
  h5::check_work(file, [&] {
    for (const WeightColumn& column : columns) write_column(file.id(), column, path);
  });
  return file.finish(h5::Sync::disk);
}

std::optional<h5::BlockSums> add_bin_columns(const std::string& path,
                                             const std::vector<SideColumn>& columns,
                                             std::optional<h5::BlockSums> content) {
  TableWriter writer(kWeightLevel);
  for (const SideColumn& column : columns) {
    h5::OutputFile file = h5::OutputFile::open(path, std::move(content));
    h5::check_work(file, [&] {
      write_side_columns(h5::open_group(file.id(), "/bins", path).id(), {column}, writer);
    });
    content = file.finish(h5::Sync::none);
  }
  return content;
}

void write_weights_in_place(const std::string& path, const std::vector<WeightColumn>& columns,
                            const h5::LockPatience& patience, const std::function<void()>& check) {
  h5::JournaledEdit edit(path, h5::posix_file_ops(), patience);
  check();
  {
    const h5::OutputFile file = h5::OutputFile::open(path, edit.state());
    h5::check_work(file, [&] {
      for (const WeightColumn& column : columns) write_column(file.id(), column, path);
    });
  }
  edit.commit();
}

}  // namespace ziggurat::cool
