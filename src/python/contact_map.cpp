#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>

#include "python/arrays.hpp"
#include "python/binding.hpp"
#include "python/call.hpp"
#include "python/columns.hpp"
#include "python/text.hpp"
#include "ziggurat/read.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ziggurat::python {
namespace {

using Arrays = nb::typed<nb::tuple, nb::any, nb::any, nb::any>;

// Pixels block by block; keeps what the stream asks whether to go on.
class PixelBlocks {
 public:
  PixelBlocks(const ContactMap& map, const PixelQuery& query)
      : observer_(std::make_unique<PythonObserver>()) {
    stream_.emplace(call_freely(
        *observer_, [&](Observer& listening) { return map.pixels(query, &listening); }));
  }

  // Three arrays, or None after the last block.
  std::optional<Arrays> next() {
    Pixels block;
    const bool some = call_freely(*observer_, [&](Observer&) { return stream_->next(block); });
    if (!some) return std::nullopt;
    return Arrays(nb::make_tuple(array_of(std::move(block.bin1)), array_of(std::move(block.bin2)),
                                 array_of(std::move(block.values))));
  }

 private:
  std::unique_ptr<PythonObserver> observer_;
  std::optional<PixelStream> stream_;
};

// (first row, end row, first column, end column)
using Rectangle = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

PixelQuery query_of(const Rectangle& rectangle, bool full, const std::string& field,
                    const std::string& weights, std::optional<bool> divide) {
  PixelQuery query;
  query.rows = {std::get<0>(rectangle), std::get<1>(rectangle)};
  query.columns = {std::get<2>(rectangle), std::get<3>(rectangle)};
  query.triangle = full ? Triangle::full : Triangle::stored;
  query.field = field;
  query.weights = weights;
  if (divide) query.use = *divide ? WeightUse::divide : WeightUse::multiply;
  return query;
}

void open(ContactMap* place, const nb::object& uri) {
  const std::string path = path_of(uri);
  PythonObserver observer;
  new (place) ContactMap(call_freely(observer, [&](Observer&) { return ContactMap(path); }));
}

nb::typed<nb::list, nb::typed<nb::tuple, nb::str, std::int64_t>> chromosomes_of(
    const ContactMap& map) {
  nb::list made;
  for (const Chromosome& chromosome : map.chromosomes()) {
    made.append(nb::make_tuple(text_of(chromosome.name), chromosome.length));
  }
  return made;
}

Arrays bins_of(const ContactMap& map, std::int64_t first, std::int64_t end) {
  BinIntervals bins = map.bins({first, end});
  return nb::make_tuple(array_of(std::move(bins.chromosomes)), array_of(std::move(bins.starts)),
                        array_of(std::move(bins.ends)));
}

nb::any bin_column_of(const ContactMap& map, const std::string& name) {
  PythonObserver observer;
  return column_of(call_freely(observer, [&](Observer&) { return map.bin_column(name); }));
}

nb::any weights_of(const ContactMap& map, const std::string& name) {
  PythonObserver observer;
  return array_of(call_freely(observer, [&](Observer&) { return map.weights(name); }));
}

Arrays fetch(const ContactMap& map, const Rectangle& rectangle, bool full, const std::string& field,
             const std::string& weights, std::optional<bool> divide) {
  const PixelQuery query = query_of(rectangle, full, field, weights, divide);
  PythonObserver observer;
  Pixels pixels =
      call_freely(observer, [&](Observer& listening) { return map.fetch(query, &listening); });
  return nb::make_tuple(array_of(std::move(pixels.bin1)), array_of(std::move(pixels.bin2)),
                        array_of(std::move(pixels.values)));
}

Arrays fetch_csr(const ContactMap& map, const Rectangle& rectangle, bool full,
                 const std::string& field, const std::string& weights, std::optional<bool> divide) {
  const PixelQuery query = query_of(rectangle, full, field, weights, divide);
  PythonObserver observer;
  CsrPixels pixels =
      call_freely(observer, [&](Observer& listening) { return map.fetch_csr(query, &listening); });
  return nb::make_tuple(array_of(std::move(pixels.offsets)), array_of(std::move(pixels.columns)),
                        array_of(std::move(pixels.values)));
}

std::unique_ptr<PixelBlocks> blocks(const ContactMap& map, const Rectangle& rectangle, bool full,
                                    const std::string& field, const std::string& weights,
                                    std::optional<bool> divide) {
  return std::make_unique<PixelBlocks>(map, query_of(rectangle, full, field, weights, divide));
}

}  // namespace

void bind_contact_map(nb::module_& module) {
  nb::class_<PixelBlocks>(module, "PixelBlocks").def("next", &PixelBlocks::next);
  nb::class_<ContactMap>(module, "ContactMap")
      .def("__init__", &open, "uri"_a)
      .def_prop_ro("uri", [](const ContactMap& map) { return text_of(map.uri()); })
      .def_prop_ro("chromosomes", &chromosomes_of)
      .def_prop_ro("chromosome_offsets",
                   [](const ContactMap& map) { return array_of(map.chromosome_offsets()); })
      .def_prop_ro("n_bins", &ContactMap::n_bins)
      .def_prop_ro("n_pixels", &ContactMap::n_pixels)
      .def_prop_ro("bin_size", &ContactMap::bin_size)
      .def_prop_ro("is_symmetric", &ContactMap::is_symmetric)
      .def_prop_ro("notes", [](const ContactMap& map) { return texts_of(map.notes()); })
      .def_prop_ro("bin_columns", [](const ContactMap& map) { return texts_of(map.bin_columns()); })
      .def_prop_ro("fields", [](const ContactMap& map) { return texts_of(map.fields()); })
      .def("field_type", &ContactMap::field_type, "name"_a)
      .def("bins", &bins_of, "first"_a, "end"_a)
      .def("bin_column", &bin_column_of, "name"_a)
      .def("weights", &weights_of, "name"_a)
      .def(
          "bins_of",
          [](const ContactMap& map, const std::string& region) {
            using Range = nb::typed<nb::tuple, std::int64_t, std::int64_t>;
            const BinRange range = map.bins_of(region);
            return Range(nb::make_tuple(range.first, range.end));
          },
          "region"_a)
      .def("fetch", &fetch, "rectangle"_a, "full"_a, "field"_a, "weights"_a,
           "divide"_a = nb::none())
      .def("fetch_csr", &fetch_csr, "rectangle"_a, "full"_a, "field"_a, "weights"_a,
           "divide"_a = nb::none())
      .def("blocks", &blocks, "rectangle"_a, "full"_a, "field"_a, "weights"_a,
           "divide"_a = nb::none());
}

}  // namespace ziggurat::python
