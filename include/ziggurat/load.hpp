// Contacts as text to a map of one resolution.
//
// Thread rules: as build.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ziggurat/build.hpp"
#include "ziggurat/export.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat {

enum class ContactFormat {
  pairs,  // a line a contact: two chromosomes and two positions, in the columns that are named
  bg2,    // a line a pixel: chromosome, start, end, chromosome, start, end, value
  coo,    // a line a pixel: bin, bin, value
};

// What to do with a line that has no place on the map.
enum class Misplaced { drop, refuse };

// Pixels below the diagonal of a symmetric map.
enum class CopyStatus {
  unique,  // every contact is given once: they are reflected
  duplex,  // the mirror image is given too: they are dropped
};

struct LoadRequest {
  ContactFormat format = ContactFormat::pairs;
  std::string source;   // path of a text with tabs, plain or gzip; "-": standard input
  std::string bins;     // CHROMSIZES:WIDTH in bp, or the path of a BED file
  std::string output;   // URI
  bool append = false;  // keep the other contents of an existing output file

  // Of pairs, from 1: chromosome and position of one end and of the other.
  std::array<int, 4> columns{2, 3, 4, 5};
  bool one_based = true;      // the first position (of coo: bin) is 1 and not 0
  std::string comment = "#";  // lines that begin so are passed over
  bool symmetric = true;      // else the map is square, and keeps both orders apart
  CopyStatus copies = CopyStatus::unique;
  // Value columns, NAME=COLUMN[:dtype=TYPE,agg=FUNCTION]. Pairs always have `count`, the number of
  // contacts, unless it is among these. Of the others it is the only one when none is named.
  std::vector<std::string> fields;
  bool count_as_float = false;  // bg2 and coo: `count` is float64 and not int32
  Misplaced unknown_chromosomes = Misplaced::drop;
  Misplaced out_of_range = Misplaced::refuse;  // positions beyond a chromosome, bins beyond the map
  Duplicates duplicates = Duplicates::refuse;  // bg2 and coo: a pixel given twice

  std::string assembly = "unknown";
  std::string metadata = "{}";    // JSON
  std::int64_t memory_limit = 0;  // bytes of records in memory; more go to the temporary folder;
                                  // 0: 512 MiB, or a quarter of what a batch system or a cgroup
                                  // grants if that is less
  Settings settings;
};

// What became of the lines, comments and empty ones apart.
struct LoadReport {
  BuildReport map;
  std::uint64_t taken = 0;
  std::uint64_t unknown_chromosome = 0;  // dropped, as those that follow
  std::uint64_t out_of_range = 0;
  std::uint64_t mirror_images = 0;
  std::int64_t bytes_on_disk = 0;  // of sorted records that memory did not hold
};

// Lines may come in any order. The result depends on them and on the request, and not on memory or
// threads. Throws Error: usage (the request makes no sense), input, format (a line breaks a rule:
// the message names it), io, cancelled.
ZIGGURAT_API LoadReport load_contacts(const LoadRequest& request, Observer& observer);

// Checks what needs no file. Throws Error{usage}.
ZIGGURAT_API void check_load(const LoadRequest& request);

}  // namespace ziggurat
