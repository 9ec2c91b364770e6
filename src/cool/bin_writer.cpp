#include "cool/bin_writer.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "h5/types.hpp"

namespace ziggurat::cool {

namespace {

using genome::BinTable;
using genome::Chromosome;

bool is_ascii(const std::vector<Chromosome>& chromosomes) {
  return std::all_of(chromosomes.begin(), chromosomes.end(), [](const Chromosome& chromosome) {
    return std::all_of(chromosome.name.begin(), chromosome.name.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 128; });
  });
}

// Calls with int32_t or int64_t, whichever holds all positions of the map.
template <typename Call>
void with_position_type(const BinTable& bins, Call call) {
  std::int64_t longest = 0;
  for (const Chromosome& chromosome : bins.chromosomes()) {
    longest = std::max(longest, chromosome.length);
  }
  if (longest <= std::numeric_limits<std::int32_t>::max()) {
    call(std::int32_t{}, NumberType::i32);
  } else {
    call(std::int64_t{}, NumberType::i64);
  }
}

// A column made of value_of(row) for each row.
template <typename Number, typename ValueOf>
h5::Dataset write_numbers(hid_t group, const char* name, const h5::Datatype& type, std::int64_t n,
                          TableWriter& writer, ValueOf value_of) {
  return writer.write(group, name, type, static_cast<std::uint64_t>(n), sizeof(Number),
                      [&](std::uint64_t first, std::span<std::byte> out) {
                        for (std::size_t i = 0; i * sizeof(Number) < out.size(); ++i) {
                          const auto value =
                              static_cast<Number>(value_of(static_cast<std::int64_t>(first + i)));
                          std::memcpy(out.data() + i * sizeof(Number), &value, sizeof value);
                        }
                      });
}

// Members sorted by name, as every writer of the format stores them.
h5::Datatype chrom_enumeration(const std::vector<Chromosome>& chromosomes) {
  std::vector<std::int32_t> order(chromosomes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return chromosomes[static_cast<std::size_t>(a)].name <
           chromosomes[static_cast<std::size_t>(b)].name;
  });
  std::vector<std::pair<std::string, std::int32_t>> members;
  for (const std::int32_t row : order) {
    members.emplace_back(chromosomes[static_cast<std::size_t>(row)].name, row);
  }
  return h5::enumeration_type(members);
}

// Rows are visited in order, so the chromosome of a row is found by walking along.
class ChromosomeWalk {
 public:
  explicit ChromosomeWalk(const BinTable& bins) : bins_(&bins) {}
  std::int64_t of(std::int64_t bin) {
    while (bin >= bins_->chrom_offset(chrom_ + 1)) ++chrom_;
    return chrom_;
  }

 private:
  const BinTable* bins_;
  std::int64_t chrom_ = 0;
};

void write_positions(hid_t group, const BinTable& bins, TableWriter& writer) {
  with_position_type(bins, [&](auto number, NumberType number_type) {
    const h5::Datatype type = h5::number_type(number_type);
    using Number = decltype(number);
    ChromosomeWalk walk(bins);
    if (bins.is_uniform() && bins.bin_size()) {
      const std::int64_t width = *bins.bin_size();
      const auto start = [&](std::int64_t bin) {
        return (bin - bins.chrom_offset(walk.of(bin))) * width;
      };
      write_numbers<Number>(group, "start", type, bins.n_bins(), writer, start);
      walk = ChromosomeWalk(bins);
      write_numbers<Number>(group, "end", type, bins.n_bins(), writer, [&](std::int64_t bin) {
        const auto chrom = static_cast<std::size_t>(walk.of(bin));
        return std::min(start(bin) + width, bins.chromosomes()[chrom].length);
      });
      return;
    }
    write_numbers<Number>(group, "start", type, bins.n_bins(), writer,
                          [&](std::int64_t bin) { return bins.start(bin); });
    write_numbers<Number>(group, "end", type, bins.n_bins(), writer,
                          [&](std::int64_t bin) { return bins.end(bin); });
  });
}

}  // namespace

bool fits_enumeration(const std::vector<Chromosome>& chromosomes) {
  std::size_t bytes = 20;
  for (const Chromosome& chromosome : chromosomes) {
    bytes += 8 * ((chromosome.name.size() + 1 + 7) / 8) + 4;
  }
  return bytes < 65536;
}

h5::Dataset write_chrom_names(hid_t chroms, const std::vector<Chromosome>& chromosomes,
                              TableWriter& writer) {
  std::size_t width = 1;
  for (const Chromosome& chromosome : chromosomes) width = std::max(width, chromosome.name.size());
  std::vector<std::byte> bytes(chromosomes.size() * width);
  for (std::size_t i = 0; i < chromosomes.size(); ++i) {
    std::memcpy(bytes.data() + i * width, chromosomes[i].name.data(), chromosomes[i].name.size());
  }
  return writer.write(chroms, "name", h5::fixed_text_type(width, !is_ascii(chromosomes)), bytes,
                      width);
}

h5::Dataset write_chrom_ids(hid_t bins, const std::vector<Chromosome>& chromosomes,
                            std::int64_t n_bins,
                            const std::function<std::int64_t(std::int64_t bin)>& chrom_of,
                            TableWriter& writer) {
  if (!chromosomes.empty() && fits_enumeration(chromosomes)) {
    const h5::Datatype type = chrom_enumeration(chromosomes);
    return write_numbers<std::int32_t>(bins, "chrom", type, n_bins, writer, chrom_of);
  }
  h5::Dataset ids = write_numbers<std::int32_t>(bins, "chrom", h5::number_type(NumberType::i32),
                                                n_bins, writer, chrom_of);
  h5::write_text(ids.id(), "enum_path", "/chroms/name");
  return ids;
}

void write_bin_tables(hid_t collection, const BinTable& bins, TableWriter& writer) {
  const h5::Group chroms = h5::create_group(collection, "chroms");
  write_chrom_names(chroms.id(), bins.chromosomes(), writer);
  with_position_type(bins, [&](auto number, NumberType number_type) {
    const h5::Datatype type = h5::number_type(number_type);
    write_numbers<decltype(number)>(
        chroms.id(), "length", type, bins.n_chroms(), writer, [&](std::int64_t chrom) {
          return bins.chromosomes()[static_cast<std::size_t>(chrom)].length;
        });
  });
  const h5::Group bin_group = h5::create_group(collection, "bins");
  ChromosomeWalk walk(bins);
  write_chrom_ids(
      bin_group.id(), bins.chromosomes(), bins.n_bins(),
      [&](std::int64_t bin) { return walk.of(bin); }, writer);
  write_positions(bin_group.id(), bins, writer);
  const h5::Group indexes = h5::create_group(collection, "indexes");
  write_numbers<std::int64_t>(indexes.id(), "chrom_offset", h5::number_type(NumberType::i64),
                              bins.n_chroms() + 1, writer,
                              [&](std::int64_t chrom) { return bins.chrom_offset(chrom); });
}

void write_side_columns(hid_t group, const std::vector<SideColumn>& columns, TableWriter& writer) {
  for (const SideColumn& column : columns) {
    const h5::Datatype type = h5::decode_type(column.value);
    h5::Dataset dataset;
    if (column.value.texts.empty()) {
      dataset = writer.write(group, column.name, type, column.value.bytes, h5::size_of(type));
    } else {
      dataset = h5::write_texts(group, column.name, column.value.texts);
    }
    for (const h5::NamedValue& attribute : column.attributes) {
      h5::write_attribute(dataset.id(), attribute.name, attribute.value);
    }
  }
}

}  // namespace ziggurat::cool
