#include "h5/journal_format.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/crc32.hpp"

namespace ziggurat::h5 {
namespace {

std::vector<std::byte> from_text(std::string_view text) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> from_hex(const std::string& text) {
  std::vector<std::byte> bytes;
  for (std::size_t at = 0; at + 1 < text.size(); at += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(at, 2), nullptr, 16)));
  }
  return bytes;
}

// The worked example of docs/journal-format.md.
constexpr const char* kHeaderHex =
    "5a4947474a524e4c0100000004ddfa06100000000000000010000000000000000000000060c6fe41";
constexpr const char* kCommitHex =
    "01000000393248d7000000000000000003000000000000006e657702000000598f49f7140000000000000001000000"
    "000000007cf2528bda05d7c9";

std::vector<std::byte> example() { return from_hex(std::string(kHeaderHex) + kCommitHex); }

}  // namespace

TEST_CASE("A journal is written as documented") {
  const std::vector<std::byte> header = encode_header(
      {.old_bytes = 16, .head_bytes = 16, .head_crc = crc32(from_text("old content here"))});
  CHECK(header == from_hex(kHeaderHex));
  ByteRanges overwrites;
  overwrites.put(0, from_text("new"));
  const JournalEnd end = {.new_bytes = 20, .append_crc = crc32(from_text("more"))};
  CHECK(encode_commit(header, overwrites, end) == from_hex(kCommitHex));
}

TEST_CASE("A journal is read as documented") {
  const std::vector<std::byte> bytes = example();
  const std::optional<Journal> journal = parse_journal(bytes);
  REQUIRE(journal);
  CHECK(journal->complete);
  CHECK(journal->header.old_bytes == 16);
  CHECK(journal->header.head_bytes == 16);
  REQUIRE(journal->records.size() == 1);
  CHECK(journal->records[0].offset == 0);
  CHECK(std::vector(journal->records[0].bytes.begin(), journal->records[0].bytes.end()) ==
        from_text("new"));
  CHECK(journal->end.new_bytes == 20);
  CHECK(journal->end.append_crc == crc32(from_text("more")));
}

TEST_CASE("A journal that is cut, grown or changed anywhere decides nothing") {
  const std::vector<std::byte> good = example();
  for (std::size_t bytes = 0; bytes < good.size(); ++bytes) {
    const std::optional<Journal> journal = parse_journal(std::span(good).first(bytes));
    CHECK(journal.has_value() == (bytes >= kJournalHeaderBytes));
    if (journal) CHECK_FALSE(journal->complete);
  }
  for (std::size_t at = 0; at < good.size() * 8; ++at) {
    std::vector<std::byte> bad = good;
    bad[at / 8] ^= std::byte{1} << (at % 8);
    const std::optional<Journal> journal = parse_journal(bad);
    CHECK(journal.has_value() == (at / 8 >= kJournalHeaderBytes));
    if (journal) CHECK_FALSE(journal->complete);
  }
  std::vector<std::byte> longer = good;
  longer.push_back(std::byte{0});
  CHECK_FALSE(parse_journal(longer)->complete);
}

TEST_CASE("A record from another journal does not count") {
  std::vector<std::byte> other_header =
      encode_header({.old_bytes = 17, .head_bytes = 16, .head_crc = 1});
  const std::vector<std::byte> commit = from_hex(kCommitHex);
  other_header.insert(other_header.end(), commit.begin(), commit.end());
  const std::optional<Journal> journal = parse_journal(other_header);
  REQUIRE(journal);
  CHECK_FALSE(journal->complete);
  CHECK(journal->records.empty());
}

TEST_CASE("A record past the old end is refused") {
  const std::vector<std::byte> header = encode_header({.old_bytes = 2, .head_bytes = 0});
  ByteRanges overwrites;
  overwrites.put(0, from_text("new"));
  std::vector<std::byte> bytes = header;
  const std::vector<std::byte> commit = encode_commit(header, overwrites, {.new_bytes = 9});
  bytes.insert(bytes.end(), commit.begin(), commit.end());
  CHECK_FALSE(parse_journal(bytes)->complete);
}

}  // namespace ziggurat::h5
