#include "cool/attributes.hpp"

#include <sys/time.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>

#include "base/check.hpp"
#include "cool/schema.hpp"
#include "genome/bin_columns.hpp"
#include "h5/value.hpp"
#include "ziggurat/version.hpp"

namespace ziggurat::cool {

namespace {

void write_bin_size(hid_t collection, const genome::BinTable& bins) {
  if (const auto width = genome::said_bin_size(bins)) {
    h5::write_text(collection, "bin-type", kBinTypeFixed);
    h5::write_int64(collection, "bin-size", *width);
  } else {
    h5::write_text(collection, "bin-type", kBinTypeVariable);
    h5::write_text(collection, "bin-size", kNoBinSize);
  }
}

// A float total that differs from the source's own only by the order of additions is left alone.
bool is_close(std::optional<double> claimed, double sum) {
  return claimed && std::abs(*claimed - sum) <= 1e-6 * std::abs(sum);
}

void write_sum(hid_t collection, const CountSum& sum) {
  if (sum.is_float && is_close(h5::read_double(collection, "sum"), sum.real)) return;
  if (sum.is_float) {
    h5::write_double(collection, "sum", sum.real);
  } else if (sum.is_unsigned) {
    h5::write_uint64(collection, "sum", static_cast<std::uint64_t>(sum.integer));
  } else {
    h5::write_int64(collection, "sum", sum.integer);
  }
}

// What follows from the tables and must be true, whatever the source said.
void write_facts(hid_t collection, const LevelLayout& layout, const LevelSummary& summary) {
  h5::write_text(collection, "format", kCoolFormat);
  write_bin_size(collection, layout.bins);
  h5::write_text(collection, "storage-mode",
                 layout.mode == StorageMode::square ? kSquare : kSymmetricUpper);
  h5::write_int64(collection, "nchroms", layout.bins.n_chroms());
  h5::write_int64(collection, "nbins", layout.bins.n_bins());
  h5::write_int64(collection, "nnz", summary.row_offsets.back());
  if (summary.sum) write_sum(collection, *summary.sum);
}

void write_if_absent(hid_t collection, const char* name, const std::string& text) {
  if (!h5::has_attribute(collection, name)) h5::write_text(collection, name, text);
}

}  // namespace

void write_collection_attributes(hid_t collection, const LevelLayout& layout,
                                 const LevelSummary& summary) {
  if (summary.source != nullptr) {
    for (const h5::NamedValue& attribute : summary.source->attributes) {
      h5::write_attribute(collection, attribute.name, attribute.value);
    }
  }
  write_facts(collection, layout, summary);
  if (!h5::has_attribute(collection, "format-version")) {
    h5::write_int64(collection, "format-version", kCoolVersion);
  }
  write_if_absent(collection, "format-url", kFormatUrl);
  write_if_absent(collection, "generated-by", std::string("ziggurat-") + ZIGGURAT_VERSION);
  write_if_absent(collection, "creation-date", summary.creation_date);
  write_if_absent(collection, "genome-assembly", summary.assembly);
  write_if_absent(collection, "metadata", summary.metadata);
}

void write_mcool_attributes(hid_t root) {
  h5::write_text(root, "format", kMcoolFormat);
  h5::write_int64(root, "format-version", kMcoolVersion);
}

namespace {

constexpr const char* kIsoTime = "%Y-%m-%dT%H:%M:%S";

// Nothing for a moment that no calendar has.
std::optional<std::string> utc_text(std::int64_t seconds) {
  char text[32];
  const std::time_t moment = seconds;
  std::tm parts{};
  if (gmtime_r(&moment, &parts) == nullptr) return std::nullopt;
  std::strftime(text, sizeof text, kIsoTime, &parts);
  return text;
}

std::optional<std::string> agreed_date() {
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  if (epoch == nullptr || *epoch == '\0') return std::nullopt;
  std::int64_t seconds = 0;
  const char* end = epoch + std::strlen(epoch);
  const auto parsed = std::from_chars(epoch, end, seconds);
  const auto text = utc_text(seconds);
  if (parsed.ec != std::errc() || parsed.ptr != end || !text) {
    fail(ErrorCode::usage, "SOURCE_DATE_EPOCH is '{}', not a number of seconds", epoch);
  }
  return text;
}

}  // namespace

std::string creation_date() {
  if (const auto agreed = agreed_date()) return *agreed;
  char text[32];
  timeval now{};
  gettimeofday(&now, nullptr);
  std::tm parts{};
  localtime_r(&now.tv_sec, &parts);
  std::strftime(text, sizeof text, kIsoTime, &parts);
  return fmt::format("{}.{:06}", text, now.tv_usec);
}

std::string derived_creation_date(const std::vector<h5::NamedValue>& source,
                                  std::int64_t file_modified_ns) {
  if (const auto agreed = agreed_date()) return *agreed;
  for (const h5::NamedValue& attribute : source) {
    if (attribute.name != "creation-date") continue;
    if (const auto text = h5::as_text(attribute.value)) return *text;
  }
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return utc_text(file_modified_ns / kNanoseconds).value_or("1970-01-01T00:00:00");
}

}  // namespace ziggurat::cool
