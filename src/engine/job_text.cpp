#include "engine/job_text.hpp"

#include <cstdlib>
#include <map>

#include "base/check.hpp"
#include "base/crc32.hpp"
#include "base/strings.hpp"
#include "ziggurat/version.hpp"

namespace ziggurat::engine {

namespace {

std::string balance_text(const PlannedLevel& level, const BalanceMeans& means) {
  if (!level.balance) return "none";
  const BalanceOptions& o = *level.balance;
  const std::string& blacklist = means.blacklists.text(o.blacklist);
  return fmt::format(
      "method {} iteration {} contacts {} ignore-diags {} ignore-dist {} mad-max {} min-nnz {} "
      "min-count {} "
      "blacklist {:08x} tol {} max-iters {} chunksize {} name {} policy {} square {}",
      static_cast<int>(o.method), static_cast<int>(o.iteration), static_cast<int>(o.contacts),
      o.ignore_diags, o.ignore_dist, o.mad_max, o.min_nnz, o.min_count,
      crc32(std::as_bytes(std::span(blacklist))), o.tol, o.max_iters, o.chunksize, o.name,
      static_cast<int>(o.policy), o.allow_square);
}

std::string fields_text(const BuildPlan& plan) {
  std::string text;
  for (const genome::FieldSpec& field : plan.fields) {
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", field.name,
                        field.dtype ? name(*field.dtype) : "as it is", static_cast<int>(field.agg));
  }
  return text.empty() ? "all" : text;
}

std::map<std::string, std::string> lines_of(const std::string& text) {
  std::map<std::string, std::string> lines;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    lines.emplace(line.substr(0, colon), line.substr(colon + 2));
  }
  return lines;
}

}  // namespace

std::string job_text(const BuildPlan& plan, const std::vector<std::uint32_t>& source_crcs) {
  std::string text;
  const auto add = [&](const std::string& what, const auto& value) {
    text += fmt::format("{}: {}\n", what, value);
  };
  const char* date = std::getenv("SOURCE_DATE_EPOCH");
  add("version of ziggurat", ZIGGURAT_VERSION);
  add("SOURCE_DATE_EPOCH", date == nullptr ? "unset" : date);
  add("layout", plan.kind == OutputKind::legacy ? "legacy" : "pyramid");
  add("compression level", plan.settings.compression_level);
  add("columns", fields_text(plan));
  add("duplicates", plan.rules.duplicates == Duplicates::sum ? "sum" : "refuse");
  add("nan", plan.rules.not_finite == NotFinite::skip ? "skip" : "refuse");
  add("weights", plan.store_weights ? "stored" : "reported");
  for (std::size_t i = 0; i < plan.sources.size(); ++i) {
    const Source& source = plan.sources[i];
    add(fmt::format("input {}", i + 1),
        fmt::format("{} bytes with CRC {:08x}, group {}", source.identity.size, source_crcs[i],
                    source.uri.group));
  }
  std::string resolutions;
  for (const PlannedLevel& level : plan.levels) {
    resolutions += fmt::format("{}{}", resolutions.empty() ? "" : ",", level.plan.resolution);
  }
  add("resolutions", resolutions);
  for (const PlannedLevel& level : plan.levels) {
    const std::int64_t resolution = level.plan.resolution;
    add(fmt::format("level {}", resolution),
        fmt::format("base {} from {} by {}", level.plan.base, level.plan.predecessor,
                    level.plan.factor));
    add(fmt::format("balancing of level {}", resolution), balance_text(level, plan.balance_means));
  }
  return text;
}

std::string first_difference(const std::string& there, const std::string& here) {
  const auto old_lines = lines_of(there);
  const auto new_lines = lines_of(here);
  const auto value = [](const std::map<std::string, std::string>& lines, const std::string& what) {
    const auto line = lines.find(what);
    return line == lines.end() ? "none" : line->second;
  };
  // In the order of the text, where what matters most comes first.
  for (const std::string& text : {here, there}) {
    for (const std::string_view line : split(text, '\n')) {
      const std::string what(line.substr(0, line.find(": ")));
      const std::string before = value(old_lines, what);
      const std::string now = value(new_lines, what);
      if (before != now) return fmt::format("{} {} there and {} here", what, before, now);
    }
  }
  return "";
}

}  // namespace ziggurat::engine
