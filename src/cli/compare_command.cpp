// compare: two maps, and how they differ.
#include <fmt/format.h>

#include <cmath>

#include "cli/command.hpp"
#include "cli/json.hpp"
#include "ziggurat/compare.hpp"

namespace ziggurat::cli {

namespace {

constexpr int kDiffer = 1;
constexpr int kTrouble = 2;

const char* kind_name(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::map:
      return "map";
    case DifferenceKind::bins:
      return "bins";
    case DifferenceKind::attribute:
      return "attribute";
    case DifferenceKind::column:
      return "column";
    case DifferenceKind::pixels:
      break;
  }
  return "pixels";
}

class Compare : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand(
        "compare", "Say whether two maps are equal, and where and by how much they are not");
    command->add_option("A", request_.a, "FILE::GROUP, or FILE with one or more maps")
        ->required()
        ->type_name("");
    command->add_option("B", request_.b, "The same")->required()->type_name("");
    command
        ->add_option("--tolerance", request_.tolerance,
                     "Numbers are equal when they differ by no more than this, relative to the "
                     "larger of both [default: 0]")
        ->check(CLI::NonNegativeNumber)
        ->type_name("FLOAT");
    command->add_flag("--json", json_, "Print the result as JSON");
    command->footer(
        "Ends with 0 when the maps are equal, 1 when they differ, 2 when they cannot be "
        "compared.");
    add_console_options(*command);
    return command;
  }

  // As cmp and diff: 1 says that the maps differ, so it cannot say that something failed.
  [[nodiscard]] int failure_code() const override { return kTrouble; }

  int run(Console& console) override {
    const CompareReport report = compare(request_, console);
    console.settle();
    if (json_) {
      print_json(report);
    } else if (!console_options().quiet) {
      print_lines(report);
    }
    return report.same() ? 0 : kDiffer;
  }

 private:
  void print_lines(const CompareReport& report) const {
    for (const Difference& difference : report.differences) {
      const bool many = report.n_maps > 1 && difference.kind != DifferenceKind::map;
      fmt::print("{}{}\n", many ? difference.group + ": " : "", difference.text);
    }
    if (report.same()) fmt::print("{} and {} are equal\n", request_.a, request_.b);
  }

  void print_json(const CompareReport& report) const {
    fmt::print(
        "{{\n    \"a\": {},\n    \"b\": {},\n    \"same\": {},\n    \"maps\": {},\n"
        "    \"pixels\": {},\n    \"differences\": [",
        json_text(request_.a), json_text(request_.b), report.same(), report.n_maps,
        report.n_pixels);
    const char* separator = "\n";
    for (const Difference& d : report.differences) {
      fmt::print(
          "{}        {{\"kind\": \"{}\", \"group\": {}, \"object\": {}, \"only_a\": {}, "
          "\"only_b\": {}, \"different\": {}, \"largest\": {}, \"text\": {}}}",
          separator, kind_name(d.kind), json_text(d.group), json_text(d.object), d.n_only_a,
          d.n_only_b, d.n_different,
          d.largest && std::isfinite(*d.largest) ? fmt::format("{}", *d.largest) : "null",
          json_text(d.text));
      separator = ",\n";
    }
    fmt::print("{}]\n}}\n", report.same() ? "" : "\n    ");
  }

  CompareRequest request_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_compare() { return std::make_unique<Compare>(); }

}  // namespace ziggurat::cli
