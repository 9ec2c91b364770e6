// The bytes of FILE.ziggurat-journal, as laid out in docs/journal-format.md. Pure: no files here.
//
// A journal begins with a header, written before the file is touched. At the commit follow the
// records, each with the bytes for one place of the file, and an end mark with checksums over all
// of it. Only a journal with a right end mark means anything but "undo". Every number is little
// endian. What is parsed may be torn, stale or hostile: nothing in it is trusted unchecked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "h5/byte_ranges.hpp"

namespace ziggurat::h5 {

// Stored; do not change.
inline constexpr std::int64_t kJournalHeaderBytes = 40;
inline constexpr std::uint32_t kJournalVersion = 1;

// Tells the file as it was before the change.
struct JournalHeader {
  std::int64_t old_bytes = 0;   // size of the file
  std::int64_t head_bytes = 0;  // length of its beginning under head_crc
  std::uint32_t head_crc = 0;
};

struct JournalRecord {
  std::int64_t offset = 0;
  std::span<const std::byte> bytes;  // into what was parsed
};

// Tells the file as it is to be.
struct JournalEnd {
  std::int64_t new_bytes = 0;    // size of the file
  std::uint32_t append_crc = 0;  // of the bytes from the old size to the new; 0 when there are none
};

struct Journal {
  JournalHeader header;
  std::vector<JournalRecord> records;
  JournalEnd end;
  bool complete = false;  // records and end hold; otherwise they are empty
};

[[nodiscard]] std::vector<std::byte> encode_header(const JournalHeader& header);

// What follows the header: a record for each range, then the end mark.
[[nodiscard]] std::vector<std::byte> encode_commit(std::span<const std::byte> header,
                                                   const ByteRanges& overwrites,
                                                   const JournalEnd& end);

// Nothing when not even the header holds. The result points into bytes.
[[nodiscard]] std::optional<Journal> parse_journal(std::span<const std::byte> bytes);

}  // namespace ziggurat::h5
