#include "cool/table_writer.hpp"

#include <algorithm>

#include "cool/schema.hpp"

namespace ziggurat::cool {

h5::Dataset TableWriter::write(hid_t group, const std::string& name, const h5::Datatype& type,
                               std::span<const std::byte> elements, std::size_t element_size) {
  return write(group, name, type, elements.size() / element_size, element_size,
               [&](std::uint64_t first, std::span<std::byte> out) {
                 const auto part = elements.subspan(first * element_size, out.size());
                 std::copy(part.begin(), part.end(), out.begin());
               });
}

h5::Dataset TableWriter::write(hid_t group, const std::string& name, const h5::Datatype& type,
                               std::uint64_t n, std::size_t element_size, const Producer& produce) {
  h5::ColumnShape shape;
  shape.length = n;
  // A dataset of fixed length may not have chunks longer than itself, nor empty ones.
  shape.chunk_length = std::clamp<std::uint64_t>(n, 1, kChunkLength);
  shape.deflate_level = level_;
  h5::Dataset dataset = h5::create_column(group, name, type.id(), shape);
  for (std::uint64_t first = 0; first < n; first += shape.chunk_length) {
    buffer_.resize(std::min(shape.chunk_length, n - first) * element_size);
    produce(first, buffer_);
    const auto chunk_length = static_cast<std::int64_t>(shape.chunk_length);
    h5::write_stored_chunk(dataset, first, 0,
                           encoder_.encode_elements(buffer_, element_size, chunk_length));
  }
  return dataset;
}

}  // namespace ziggurat::cool
