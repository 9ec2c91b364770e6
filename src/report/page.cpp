// The page: figures and tables put into the template of src/report/page/.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.hpp"
#include "base/units.hpp"
#include "report/assets.hpp"
#include "report/heatmap_figure.hpp"
#include "report/html_table.hpp"
#include "report/line_figures.hpp"
#include "report/page_numbers.hpp"
#include "report/run_sections.hpp"
#include "report/words.hpp"
#include "ziggurat/report.hpp"
#include "ziggurat/version.hpp"

namespace ziggurat {

namespace {

// NOLINTNEXTLINE(google-build-using-namespace): a public function stands above its layer's names
using namespace report;

constexpr const char* kGradient = "colours";
constexpr std::size_t kMostRows = 200;

using Slots = std::map<std::string, std::string, std::less<>>;

// What is put in is not searched again.
std::string filled(std::string_view form, const Slots& slots) {
  std::string out;
  while (true) {
    const std::size_t open = form.find("{{");
    out += form.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = form.find("}}", open);
    const auto slot = slots.find(form.substr(open + 2, close - open - 2));
    ZIGGURAT_ASSERT(slot != slots.end());
    out += slot->second;
    form.remove_prefix(close + 2);
  }
}

std::string file_name(const MapReport& report) {
  return report.file.substr(report.file.find_last_of('/') + 1);
}

std::string deck(const MapReport& report) {
  const LevelNumbers& finest = report.levels.front();
  const LevelNumbers& coarsest = report.levels.back();
  const auto n_levels = static_cast<std::int64_t>(report.levels.size());
  std::string text =
      report.assembly.empty() ? "A contact map" : "A contact map of " + escaped(report.assembly);
  text += n_levels == 1
              ? fmt::format(" with bins of {}", resolution_text(finest.bin_size))
              : fmt::format(" at {} resolutions, {} to {}", n_levels,
                            resolution_text(finest.bin_size), resolution_text(coarsest.bin_size));
  text += fmt::format(": {} contacts on {}.", large_text(finest.contacts),
                      counted(static_cast<std::int64_t>(report.chromosomes.size()), "chromosome"));
  if (!report.generated_by.empty()) {
    text += fmt::format(" Written by {}", escaped(report.generated_by));
    if (report.creation_date.size() >= 10)
      text += "; dated " + escaped(report.creation_date.substr(0, 10));
    text += ".";
  }
  return text;
}

// Commands stand between backticks, for notes in a terminal.
std::string with_code(const std::string& text) {
  std::string out;
  bool inside = false;
  for (const char c : escaped(text)) {
    if (c == '`') {
      out += inside ? "</code>" : "<code>";
      inside = !inside;
    } else {
      out += c;
    }
  }
  return out;
}

std::string findings(const MapReport& report) {
  std::string out;
  for (const Finding& finding : report.findings) {
    const bool look = finding.kind == FindingKind::look;
    const bool good = finding.kind == FindingKind::good;
    out += fmt::format(
        R"(<li class="{}"><strong><span class="kind" aria-hidden="true">{}</span> <span class="only-spoken">{}: </span>{}</strong><span class="text">{}</span></li>)"
        "\n",
        look   ? "look"
        : good ? "good"
               : "fact",
        look   ? "▲"
        : good ? "✓"
               : "·",
        look   ? "look here"
        : good ? "good"
               : "fact",
        escaped(finding.title), with_code(finding.text));
  }
  return out;
}

std::string levels_table(const MapReport& report) {
  HtmlTable table("Levels of the map",
                  {"Bins of", "Bins", "Pixels", "Contacts", "Filled", "Within chromosomes",
                   "Median of a bin", "Empty bins", "Stored", "Bytes a pixel"});
  for (const LevelNumbers& level : report.levels) {
    const double n_pixels = static_cast<double>(level.n_pixels);
    const double cis = level.contacts > 0 ? level.cis / level.contacts : 0;
    const double bytes = static_cast<double>(level.stored_bytes);
    const bool differs = level.contacts != report.levels.front().contacts;
    const double each = n_pixels > 0 ? bytes / n_pixels : 0;
    table.add_row(
        {{resolution_text(level.bin_size), number_key(-static_cast<double>(level.n_bins))},
         {whole_text(static_cast<double>(level.n_bins)),
          number_key(static_cast<double>(level.n_bins))},
         {whole_text(n_pixels), number_key(n_pixels)},
         {level.contacts == std::floor(level.contacts) ? whole_text(level.contacts)
                                                       : short_text(level.contacts),
          number_key(level.contacts), differs},
         {percent_text(level.density), number_key(level.density)},
         {percent_text(cis), number_key(cis)},
         {short_text(level.median_coverage), number_key(level.median_coverage)},
         {whole_text(static_cast<double>(level.n_empty_bins)),
          number_key(static_cast<double>(level.n_empty_bins))},
         {format_bytes(level.stored_bytes), number_key(bytes)},
         {fmt::format("{:.2f}", each), number_key(each)}});
  }
  return table.html();
}

std::string picture_caption(const MapPicture& picture) {
  const std::string cells =
      picture.bins_per_cell == 1
          ? fmt::format("{} bins", resolution_text(picture.bin_size))
          : fmt::format("{} of {} a cell", counted(picture.bins_per_cell, "bin"),
                        resolution_text(picture.bin_size));
  return fmt::format(
      R"({}, colours on a logarithmic scale<span class="says-raw">, contacts as counted</span>{})",
      cells, picture.balanced.empty() ? "" : R"(<span class="says-balanced">, balanced</span>)");
}

std::string genome_figure(const MapReport& report, const Palette& colours) {
  if (!report.genome) return "";
  const std::string title =
      fmt::format("Heatmap of contacts between all chromosomes of {}", file_name(report));
  return fmt::format(
      "<figure class=\"genome\">{}\n<figcaption><b>The whole genome.</b> {}.</figcaption></figure>",
      heatmap_figure(*report.genome, colours, kGradient, title, FigureSize::genome),
      picture_caption(*report.genome));
}

std::string pictures(const MapReport& report, const Palette& colours) {
  std::string out;
  for (const MapPicture& picture : report.pictures) {
    const PictureSpan& span = picture.spans.front();
    const std::string title = fmt::format("Heatmap of contacts within {}", span.name);
    const std::string caption =
        picture.bins_per_cell == 1
            ? fmt::format("{} bins", resolution_text(picture.bin_size))
            : fmt::format("{} × {}", picture.bins_per_cell, resolution_text(picture.bin_size));
    out += fmt::format("<figure><figcaption><b>{}</b> {} · {}</figcaption>{}</figure>\n",
                       escaped(span.name),
                       bp_text(std::round(static_cast<double>(span.length) / 1e5) * 1e5), caption,
                       heatmap_figure(picture, colours, kGradient, title, FigureSize::chromosome));
  }
  return out;
}

std::string decay_table(const MapReport& report) {
  HtmlTable table("Contacts by distance", {"Bins of", "Distance", "Contacts each Mb²", "Contacts"});
  for (const LevelNumbers& level : report.levels) {
    for (const DecayPoint& point : level.decay) {
      table.add_row(
          {{resolution_text(level.bin_size), number_key(-static_cast<double>(level.n_bins))},
           {bp_text(std::round(point.distance)), number_key(point.distance)},
           {short_text(point.density), number_key(point.density)},
           {short_text(point.contacts), number_key(point.contacts)}});
    }
  }
  return table.html();
}

std::string decay_section(const MapReport& report) {
  const std::string figure = decay_figure(report);
  if (figure.empty()) return "";
  std::string words;
  if (report.decay_slope) {
    words += fmt::format(
        R"(<p><span class="figure">{:.2f}</span>is the power of the distance that contacts go with at the finest level, between a 400th and a 25th of the longest chromosome or over what there is.</p>)",
        *report.decay_slope);
  }
  if (report.decay_disagreement) {
    words += fmt::format(
        R"(<p><span class="figure">{}</span>is the most by which neighbouring levels differ, from four bins of the coarser on and where there are 1,000 contacts or more.</p>)",
        percent_text(*report.decay_disagreement));
  }
  return fmt::format(
      R"(  <section aria-labelledby="distance">
    <h2 id="distance">Contacts by distance</h2>
    <p class="intro">Contacts within chromosomes for each square megabase of the map. Coarse levels lie
    beneath as broad lines, fine ones on top: where they are one line, the levels agree.</p>
    <div class="plot-with-words"><figure>{}</figure><div class="words">{}</div></div>
    <details><summary>The numbers as a table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Contacts by distance, table">{}</div></details>
  </section>)",
      figure, words, decay_table(report));
}

std::string chromosomes_table(const MapReport& report) {
  HtmlTable table("Chromosomes", {"Name", "Length", "Bins", "Contacts within", "with others",
                                  "Share within", "Contacts each Mb", "Bins left out"});
  const std::size_t n = std::min(kMostRows, report.chromosomes.size());
  const bool knows_masked = !report.track.masked.front().front().empty();
  for (std::size_t i = 0; i < n; ++i) {
    const ChromosomeNumbers& c = report.chromosomes[i];
    const double touching = c.cis + c.trans;
    const double share = touching > 0 ? c.cis / touching : 0;
    const double each_mb = c.length > 0 ? touching / (static_cast<double>(c.length) / 1e6) : 0;
    const double masked =
        c.n_bins > 0 ? static_cast<double>(c.n_masked) / static_cast<double>(c.n_bins) : 0;
    table.add_row(
        {{escaped(c.name), number_key(static_cast<double>(i))},
         {whole_text(static_cast<double>(c.length)), number_key(static_cast<double>(c.length))},
         {whole_text(static_cast<double>(c.n_bins)), number_key(static_cast<double>(c.n_bins))},
         {short_text(c.cis), number_key(c.cis)},
         {short_text(c.trans), number_key(c.trans)},
         {touching > 0
              ? fmt::format(
                    R"({}<span class="share" aria-hidden="true"><i style="width:{:.1f}%"></i></span>)",
                    percent_text(share), 100 * share)
              : "–",
          number_key(share)},
         {short_text(each_mb), number_key(each_mb)},
         {knows_masked ? percent_text(masked) : "–", number_key(masked)}});
  }
  return table.html();
}

std::string chromosomes_intro(const MapReport& report) {
  std::string text = "At the finest level. A contact between two chromosomes counts for both.";
  const std::size_t n = report.chromosomes.size();
  if (n > kMostRows) text += fmt::format(" The first {} of {} are listed.", kMostRows, n);
  const auto n_drawn = static_cast<std::size_t>(
      std::count_if(report.chromosomes.begin(), report.chromosomes.end(),
                    [](const ChromosomeNumbers& c) { return c.is_drawn; }));
  if (n_drawn < n) {
    text += fmt::format(" The pictures leave out {} too small to be seen.",
                        counted(static_cast<std::int64_t>(n - n_drawn), "chromosome"));
  }
  return text;
}

}  // namespace

std::string report_page(const MapReport& report, const std::string& colours) {
  const Palette& shades = palette(colours);
  const bool has_weights = !report.weights.empty();
  const auto n_looks = std::count_if(report.findings.begin(), report.findings.end(),
                                     [](const Finding& f) { return f.kind == FindingKind::look; });
  Slots slots;
  slots["version"] = ZIGGURAT_VERSION;
  slots["title"] = escaped(file_name(report));
  slots["style"] = kPageCss;
  slots["script"] = kPageJs;
  slots["numbers"] = page_numbers(report, shades);
  slots["switch_class"] = has_weights ? "" : "none";
  slots["balanced_checked"] = has_weights ? "checked" : "";
  slots["raw_checked"] = has_weights ? "" : "checked";
  slots["gradient"] = gradient_definition(shades, kGradient);
  slots["deck"] = deck(report);
  slots["lead_class"] = report.genome ? "" : "alone";
  slots["verdict_class"] = n_looks > 0 ? "look" : "sound";
  slots["verdict_mark"] = n_looks > 0 ? "▲" : "✓";
  slots["verdict"] =
      n_looks > 0 ? fmt::format("Look here: {}", counted(n_looks, "thing")) : "Sound";
  slots["findings"] = findings(report);
  slots["genome"] = genome_figure(report, shades);
  slots["levels_intro"] = report.is_symmetric
                              ? "Filled is the share of all pairs of bins that have contacts."
                              : "The map is not symmetric: both triangles are stored.";
  slots["levels_table"] = levels_table(report);
  slots["decay"] = decay_section(report);
  slots["coverage_intro"] =
      has_weights ? "Below, level by level, where balancing left bins out, and why." : "";
  slots["track"] = track_figure(report);
  slots["balancing"] = balancing_section(report);
  slots["time"] = time_section(report);
  slots["chromosomes_intro"] = chromosomes_intro(report);
  slots["chromosomes_table"] = chromosomes_table(report);
  slots["pictures"] = pictures(report, shades);
  slots["footer"] = fmt::format(
      "Made by ziggurat {} from {}. This page is one file: it asks for nothing from anywhere.",
      ZIGGURAT_VERSION, escaped(file_name(report)));
  return filled(kPageHtml, slots);
}

}  // namespace ziggurat
