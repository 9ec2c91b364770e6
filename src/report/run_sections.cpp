#include "report/run_sections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "report/html_table.hpp"
#include "report/line_figures.hpp"
#include "report/shown.hpp"
#include "report/words.hpp"

namespace ziggurat::report {

namespace {

template <typename Value, typename Text>
TableCell optional_cell(const std::optional<Value>& value, Text text) {
  if (!value) return {"–", "-1"};
  return {text(*value), number_key(static_cast<double>(*value))};
}

double level_key(const LevelNumbers& level) { return -static_cast<double>(level.n_bins); }

std::string weights_table(const MapReport& report) {
  HtmlTable table("Balancing, a row for each level and column of weights",
                  {"Bins of", "Column", "Converged", "Rounds", "Variance", "Tolerance", "Scale",
                   "Diagonals ignored", "Evenness found", "Time"});
  const auto yes = [](bool truth) { return std::string(truth ? "yes" : "no"); };
  const auto brief = [](double value) { return short_text(value); };
  for (const LevelNumbers& level : report.levels) {
    for (const WeightNumbers& weights : level.weights) {
      TableCell converged = optional_cell(weights.converged, yes);
      converged.is_bad = weights.converged && !*weights.converged;
      std::optional<std::size_t> rounds;
      if (!weights.variances.empty()) rounds = weights.variances.size();
      table.add_row({{resolution_text(level.bin_size), number_key(level_key(level))},
                     {escaped(weights.name) + (weights.divisive ? " (divides)" : "")},
                     converged,
                     optional_cell(rounds, [](std::size_t n) { return std::to_string(n); }),
                     optional_cell(weights.variance, brief),
                     optional_cell(weights.tolerance, brief),
                     optional_cell(weights.scale, brief),
                     optional_cell(weights.ignored_diagonals,
                                   [](std::int64_t n) { return std::to_string(n); }),
                     optional_cell(weights.spread, [](double s) { return percent_text(s); }),
                     optional_cell(weights.seconds, [](double s) { return format_duration(s); })});
    }
  }
  return table.html();
}

// Beside the number of bins that a rule left out.
std::string limit_text(const WeightNumbers& weights, LeftOutBy rule) {
  const auto below = [](const auto& limit) {
    const double value = limit ? static_cast<double>(*limit) : 0;
    return value > 0 ? "&lt; " + short_text(value) : std::string("off");
  };
  switch (rule) {
    case LeftOutBy::min_nnz:
      return below(weights.min_nnz);
    case LeftOutBy::min_count:
      return below(weights.min_count);
    case LeftOutBy::mad_max: {
      const double limit = weights.mad_max.value_or(0);
      return limit > 0 ? short_text(limit) + " MAD" : std::string("off");
    }
    case LeftOutBy::other:
      break;
  }
  return "";
}

std::string left_out_table(const MapReport& report) {
  HtmlTable table("Bins left out of balancing, by rule",
                  {"Bins of", "Column", "Bins left out", "Share", "Of them empty", "Few pixels",
                   "Few contacts", "Low coverage", "Another reason"});
  for (const LevelNumbers& level : report.levels) {
    for (const WeightNumbers& weights : level.weights) {
      const double masked = static_cast<double>(weights.n_masked);
      const double share = level.n_bins > 0 ? masked / static_cast<double>(level.n_bins) : 0;
      std::vector<TableCell> row{{resolution_text(level.bin_size), number_key(level_key(level))},
                                 {escaped(weights.name)},
                                 {whole_text(masked), number_key(masked)},
                                 {percent_text(share), number_key(share)},
                                 {whole_text(static_cast<double>(weights.n_masked_empty)),
                                  number_key(static_cast<double>(weights.n_masked_empty))}};
      for (std::size_t rule = 0; rule < kLeftOutBy; ++rule) {
        if (!weights.n_left_out) {
          row.push_back({"–", "-1"});
          continue;
        }
        const double n = static_cast<double>(weights.n_left_out->at(rule));
        const std::string limit = limit_text(weights, static_cast<LeftOutBy>(rule));
        const std::string beside =
            limit.empty() ? "" : fmt::format(R"( <span class="limit">{}</span>)", limit);
        row.push_back({whole_text(n) + beside, number_key(n)});
      }
      table.add_row(std::move(row));
    }
  }
  return table.html();
}

std::string variance_part(const MapReport& report) {
  const std::string figure = variance_figure(report);
  if (figure.empty()) {
    return R"(<p class="unknown">How the variance fell from round to round is known to the run that balanced the map, and to no file: <code>zoomify --balance --report</code> and <code>balance --report</code> show it.</p>)";
  }
  std::string words;
  const LevelNumbers* slowest = nullptr;
  std::size_t most = 0;
  for (const LevelNumbers& level : report.levels) {
    const WeightNumbers* weights = weights_shown(report, level);
    if (weights == nullptr || weights->variances.size() <= most) continue;
    most = weights->variances.size();
    slowest = &level;
  }
  if (slowest != nullptr) {
    words = fmt::format(
        R"(<p><span class="figure">{}</span>{} at bins of {}, more than at any other level.</p>)",
        most, most == 1 ? "round" : "rounds", resolution_text(slowest->bin_size));
  }
  return fmt::format(
      R"(<div class="plot-with-words"><figure>{}
<figcaption><b>Variance of the coverage after each round.</b> A straight line means that a round leaves the same share of it.</figcaption></figure><div class="words">{}</div></div>)",
      figure, words);
}

// A stage of a process, with a bar of its share of the longest.
TableCell seconds_cell(double seconds, double longest) {
  const double share = longest > 0 ? seconds / longest : 0;
  return {fmt::format(
              R"({}<span class="share" aria-hidden="true"><i style="width:{:.1f}%"></i></span>)",
              format_duration(seconds), 100 * share),
          number_key(seconds)};
}

std::string time_table(const PerfReport& spent) {
  HtmlTable table("Where the time went", {"Process", "Stage", "Busy", "Waiting", "Pixels handled",
                                          "Bytes in", "Bytes out"});
  double longest = 0;
  for (const ProcessReport& process : spent.processes) {
    for (const StageReport& stage : process.stages) {
      longest = std::max(longest, stage.busy_seconds);
    }
  }
  const auto moved = [](std::int64_t n, const std::string& text) -> TableCell {
    if (n == 0) return {"–", "0"};
    return {text, number_key(static_cast<double>(n))};
  };
  for (const ProcessReport& process : spent.processes) {
    for (const StageReport& stage : process.stages) {
      table.add_row({{escaped(process.name)},
                     {escaped(stage.stage)},
                     seconds_cell(stage.busy_seconds, longest),
                     {format_duration(stage.waiting_seconds), number_key(stage.waiting_seconds)},
                     moved(stage.pixels, whole_text(static_cast<double>(stage.pixels))),
                     moved(stage.bytes_in, format_bytes(stage.bytes_in)),
                     moved(stage.bytes_out, format_bytes(stage.bytes_out))});
    }
  }
  return table.html();
}

}  // namespace

std::string balancing_section(const MapReport& report) {
  if (report.weights.empty()) return "";
  return fmt::format(
      R"(  <section aria-labelledby="balancing">
    <h2 id="balancing">Balancing</h2>
    <p class="intro">What the file says of its weights, and what was found with them applied.
    Evenness is the standard deviation of the balanced coverage over its mean, of the bins that have a weight
    in the column shown, {}: near zero is balanced.</p>
    {}
    <div class="scroll" tabindex="0" role="region" aria-labelledby="balancing">{}</div>
    <h3 id="left-out">Bins left out</h3>
    <p class="intro">By the first rule that a bin breaks, found from the pixels and the limits that the file
    states: pixels under min-nnz, contacts under min-count, coverage so many median deviations under the median
    (mad-max). Bins on a list of regions count as left out for another reason.</p>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="left-out">{}</div>
  </section>)",
      escaped(report.weights), variance_part(report), weights_table(report),
      left_out_table(report));
}

std::string time_section(const MapReport& report) {
  std::string body;
  if (!report.spent) {
    body =
        R"(<p class="unknown">How long the levels took is known to the run that made them, and to no file: pages of <code>zoomify --report</code> and <code>balance --report</code> show it.</p>)";
  } else {
    std::int64_t peak = 0;
    for (const ProcessReport& process : report.spent->processes) {
      peak = std::max(peak, process.peak_bytes);
    }
    body = fmt::format(
        R"(<p class="intro">The run took {} and {} of processor time; its largest process held {}. All levels are made in one reading
    of the base, so stages are told apart, and levels only where each has its own, in balancing.</p>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="time">{}</div>)",
        format_duration(report.spent->wall_seconds), format_duration(report.spent->cpu_seconds),
        format_bytes(peak), time_table(*report.spent));
  }
  return fmt::format(
      R"(  <section aria-labelledby="time">
    <h2 id="time">Time</h2>
    {}
  </section>)",
      body);
}

}  // namespace ziggurat::report
