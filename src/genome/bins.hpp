// Chromosomes and the bins that tile them, at one resolution.
//
// A table is either uniform, when every bin follows from the chromosome lengths and one width, or
// explicit, when starts and ends are held per bin. Callers see no difference but speed and memory:
// a uniform table of a billion bins takes no more than its chromosomes do.
// Thread rules: immutable once made; any number of threads may read one table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ziggurat::genome {

// A sequence that bins tile. Length in bp, 0 or more.
struct Chromosome {
  std::string name;
  std::int64_t length = 0;

  friend bool operator==(const Chromosome&, const Chromosome&) = default;
};

// Sum of the lengths in bp.
[[nodiscard]] std::int64_t total_length(const std::vector<Chromosome>& chromosomes);

// Pixels carry 32-bit bin ids, and the largest value is kept free to mean "none".
constexpr std::int64_t kMaxBins = (std::int64_t{1} << 32) - 2;

class BinTable {
 public:
  // Bins of bin_size bp from position 0 of each chromosome, the last one cut at its length.
  // Throws: Error{usage} when bin_size < 1, a length is negative, or there are over kMaxBins bins.
  [[nodiscard]] static BinTable uniform(std::vector<Chromosome> chromosomes, std::int64_t bin_size);

  // Bins as a file lists them; chromosome c owns rows [chrom_offsets[c], chrom_offsets[c + 1]).
  // bin_size_label is the file's bin-size, absent for a map with variable bins.
  // Accepted: gaps, a first bin that does not start at 0, chromosomes without bins. The chromosome
  // length wins over a last bin that runs past it, which is cut there (some writers do not clip).
  // A table that turns out to be uniform from 0 is held as such.
  // Throws: Error{format} naming the row: a bin of no or negative width, a bin that starts before
  // its predecessor ends or at or past its chromosome's end, an inner bin that contradicts the
  // label, or columns and offsets that disagree in length. Error{usage} over kMaxBins bins.
  [[nodiscard]] static BinTable explicit_bins(std::vector<Chromosome> chromosomes,
                                              std::vector<std::int64_t> chrom_offsets,
                                              std::vector<std::int64_t> starts,
                                              std::vector<std::int64_t> ends,
                                              std::optional<std::int64_t> bin_size_label);

  [[nodiscard]] const std::vector<Chromosome>& chromosomes() const { return chromosomes_; }
  [[nodiscard]] std::int64_t n_chroms() const;
  [[nodiscard]] std::int64_t n_bins() const { return chrom_offsets_.back(); }
  [[nodiscard]] std::int64_t total_length() const;

  // First bin of chromosome c; for c == n_chroms() the number of bins.
  [[nodiscard]] std::int64_t chrom_offset(std::int64_t chrom) const;
  [[nodiscard]] const std::vector<std::int64_t>& chrom_offsets() const { return chrom_offsets_; }

  // Of bin in [0, n_bins()): its chromosome, and its half-open interval in bp.
  // Cost: one binary search over the chromosomes; none for start and end of an explicit table.
  [[nodiscard]] std::int64_t chromosome_of(std::int64_t bin) const;
  [[nodiscard]] std::int64_t start(std::int64_t bin) const;
  [[nodiscard]] std::int64_t end(std::int64_t bin) const;

  // The label that files carry: the width in bp of a map of bin-type fixed, else nothing. It is
  // kept as given and never guessed from the bins, so a map does not change its type by coarsening.
  [[nodiscard]] std::optional<std::int64_t> bin_size() const { return label_; }

  // True when no bins are stored, since start = i * width and end = min(start + width, length).
  [[nodiscard]] bool is_uniform() const { return uniform_width_ > 0; }

  // The table whose bins are k neighbouring bins of this one, chromosome by chromosome; the last
  // group of a chromosome may be smaller and then ends at the chromosome's length. A fixed map
  // stays fixed with label k * bin_size(), a variable one stays variable.
  // Throws: Error{usage} when k < 1 or k * bin_size() is beyond 64 bits.
  [[nodiscard]] BinTable coarsen(std::int64_t k) const;

  // For every bin its id in coarsen(k), by position and not by bp, so that it holds as well where
  // bins do not start at 0. Four bytes a bin. Throws: Error{usage} when k < 1.
  [[nodiscard]] std::vector<std::uint32_t> coarse_ids(std::int64_t k) const;

 private:
  BinTable() = default;
  [[nodiscard]] std::vector<std::int64_t> coarse_offsets(std::int64_t k) const;
  void drop_bins_if_uniform();
  void coarsen_explicit_into(BinTable& coarse, std::int64_t k) const;

  std::vector<Chromosome> chromosomes_;
  std::vector<std::int64_t> chrom_offsets_{0};  // n_chroms() + 1 entries
  std::int64_t uniform_width_ = 0;              // 0: starts_ and ends_ hold the bins
  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> ends_;
  std::optional<std::int64_t> label_;
};

}  // namespace ziggurat::genome
