#include "contacts/places.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace ziggurat::contacts {

namespace {

// Names of a genome differ in length, first or last characters; genomes have up to millions of
// them, so every character of the first and last eight counts.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  const std::size_t n = std::min<std::size_t>(name.size(), 8);
  std::memcpy(&head, name.data(), n);
  std::memcpy(&tail, name.data() + name.size() - n, n);
  std::uint64_t mixed = (head + name.size()) * 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ (mixed >> 29) ^ tail) * 0xBF58476D1CE4E5B9U;
  return mixed ^ (mixed >> 32);
}

// 32-bit division is several times as fast as that of 64 bits, and chromosomes are that short.
std::int64_t quotient(std::int64_t position, std::int64_t width) {
  if (((position | width) >> 32) == 0) {
    return static_cast<std::uint32_t>(position) / static_cast<std::uint32_t>(width);
  }
  return position / width;
}

}  // namespace

Places::Places(const genome::BinTable& bins)
    : bins_(bins),
      offsets_(bins.chrom_offsets()),
      slots_(std::bit_ceil(2 * bins.chromosomes().size() + 2), kUnknown) {
  for (const genome::Chromosome& chromosome : bins.chromosomes()) {
    const std::size_t slot = slot_of(chromosome.name);
    if (slots_[slot] == kUnknown) slots_[slot] = static_cast<std::int32_t>(lengths_.size());
    lengths_.push_back(chromosome.length);
  }
  if (bins.is_uniform() && bins.n_bins() > 0) width_ = bins.end(0) - bins.start(0);
  // A lone bin that its chromosome cuts short does not show the width of the others.
  for (std::int32_t c = 0; std::cmp_less(c, lengths_.size()) && width_ > 0; ++c) {
    const std::int64_t first = offsets_[static_cast<std::size_t>(c)];
    if (first < offsets_[static_cast<std::size_t>(c) + 1]) {
      width_ = std::max(width_, bins.end(first) - bins.start(first));
    }
  }
}

std::size_t Places::slot_of(std::string_view name) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(name) & mask;
  while (slots_[slot] != kUnknown && this->name(slots_[slot]) != name) slot = (slot + 1) & mask;
  return slot;
}

std::int32_t Places::chromosome(std::string_view name) const { return slots_[slot_of(name)]; }

std::uint32_t Places::listed_bin(std::int64_t first, std::int64_t end,
                                 std::int64_t position) const {
  const std::int64_t begin = first;
  while (first < end) {
    const std::int64_t middle = first + (end - first) / 2;
    if (bins_.start(middle) <= position) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  if (first == begin || bins_.end(first - 1) <= position) return kNowhere;
  return static_cast<std::uint32_t>(first - 1);
}

std::uint32_t Places::bin(std::int32_t chromosome, std::int64_t position) const {
  const auto c = static_cast<std::size_t>(chromosome);
  if (position == lengths_[c] && position > 0) --position;
  if (width_ == 0) return listed_bin(offsets_[c], offsets_[c + 1], position);
  const std::int64_t found = offsets_[c] + quotient(position, width_);
  return found < offsets_[c + 1] ? static_cast<std::uint32_t>(found) : kNowhere;
}

}  // namespace ziggurat::contacts
