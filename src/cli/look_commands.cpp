// verify, ls, info, tree and attrs: commands that only look. What cooler prints too is the same to
// the byte.
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/check.hpp"
#include "cli/command.hpp"
#include "cli/json.hpp"
#include "cli/py_value.hpp"
#include "cli/text_output.hpp"
#include "cli/yaml_text.hpp"
#include "ziggurat/inspect.hpp"
#include "ziggurat/verify.hpp"

namespace ziggurat::cli {

namespace {

class Verify : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand(
        "verify", "Prove that a file is sound: structure, every pixel, level against level");
    command->add_option("FILE", request_.target, "FILE with one or more maps, or FILE::GROUP")
        ->required()
        ->type_name("");
    command->add_flag("--quick", request_.quick,
                      "Look at the structure only: tables, attributes, marks; no pixel is read");
    command->add_flag("--json", json_, "Print the verdicts as one JSON object");
    add_settings(*command, request_.settings);
    add_console_options(*command);
    return command;
  }

  int run(Console& console) override {
    const VerifyReport report = verify(request_, console);
    console.settle();
    if (json_) {
      print_json(report);
    } else {
      print_text(report);
    }
    if (report.sound()) return 0;
    std::fflush(stdout);
    fmt::print(stderr, "ziggurat verify: {} is not sound: {}\n", request_.target,
               first_fault(report));
    return 1;
  }

 private:
  void print_text(const VerifyReport& report) const {
    if (!console_options().quiet) print_table(report);
    for (const std::string& fault : report.faults) fmt::print("FAULT {}\n", fault);
    for (const LevelVerdict& level : report.levels) {
      for (const std::string& fault : level.faults) fmt::print("FAULT {}\n", fault);
    }
    if (!report.sound() || console_options().quiet) return;
    fmt::print("{} is sound{}\n", request_.target,
               request_.quick ? " in its structure; no pixel was read" : "");
  }

  void print_json(const VerifyReport& report) const {
    std::string levels;
    for (const LevelVerdict& level : report.levels) {
      levels += fmt::format(
          "{}{{\"group\":{},\"resolution\":{},\"bins\":{},\"pixels\":{},\"sum\":{},"
          "\"compared_with\":{},\"faults\":{}}}",
          levels.empty() ? "" : ",", json_text(level.group), level.resolution, level.n_bins,
          level.n_pixels, level.sum.empty() ? "null" : level.sum,
          level.compared_with.empty() ? "null" : json_text(level.compared_with),
          json_list(level.faults));
    }
    fmt::print("{{\"target\":{},\"sound\":{},\"quick\":{},\"faults\":{},\"levels\":[{}]}}\n",
               json_text(request_.target), report.sound(), request_.quick, json_list(report.faults),
               levels);
  }

  static std::string json_list(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "" : ",") + json_text(text);
    return "[" + list + "]";
  }

  static void print_table(const VerifyReport& report) {
    fmt::print("{:>12}  {:>12}  {:>14}  {:>18}  {:<8}  {}\n", "resolution", "bins", "pixels", "sum",
               "verdict", "compared with");
    for (const LevelVerdict& level : report.levels) {
      fmt::print("{:>12}  {:>12}  {:>14}  {:>18}  {:<8}  {}\n", level.resolution, level.n_bins,
                 level.n_pixels, level.sum, level.faults.empty() ? "sound" : "FAULT",
                 level.compared_with.empty() ? "-" : level.compared_with);
    }
  }

  static std::string first_fault(const VerifyReport& report) {
    if (!report.faults.empty()) return report.faults.front();
    for (const LevelVerdict& level : report.levels) {
      if (!level.faults.empty()) return level.faults.front();
    }
    return "";
  }

  VerifyRequest request_;
  bool json_ = false;
};

class Ls : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("ls", "List the maps in a file, one URI a line");
    command->add_option("FILE", file_, "File")->required()->type_name("");
    command->add_flag("-l,--long", long_, "Print the width of the bins in bp too");
    add_console_options(*command);
    return command;
  }

  int run(Console& console) override {
    for (const std::string& group : list_maps(file_, "", &console)) {
      const std::string uri = file_ + "::" + group;
      fmt::print("{}{}\n", uri, long_ ? "\t" + width_of(uri) : "");
    }
    return 0;
  }

 private:
  static std::string width_of(const std::string& uri) {
    for (const MapAttribute& attribute : map_attributes(uri)) {
      if (attribute.name == "bin-size" && attribute.is_number) return with_commas(attribute.text);
    }
    return "<variable>";
  }

  static std::string with_commas(std::string digits) {
    for (std::size_t left = digits.size(); left > 3;) {
      left -= 3;
      digits.insert(left, 1, ',');
    }
    return digits;
  }

  std::string file_;
  bool long_ = false;
};

class Info : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("info", "Print the attributes of a map as JSON");
    command->add_option("COOL_URI", uri_, "Map: FILE or FILE::GROUP")->required()->type_name("");
    command->add_option("-f,--field", field_, "Print the value of this attribute alone")
        ->type_name("NAME");
    command->add_flag("-m,--metadata", metadata_, "Print what the attribute metadata holds");
    command->add_option("-o,--out", out_, "Output file [default: standard output]")
        ->type_name("FILE");
    add_console_options(*command);
    return command;
  }

  int run(Console& console) override {
    // Says what the file holds instead when this is no map.
    static_cast<void>(map_attributes(uri_, "", &console));
    PyValue all;
    all.kind = PyValue::Kind::dict;
    const std::vector<FileObject> objects = list_objects(uri_, 0, "", &console);
    for (const ObjectAttribute& attribute : objects.front().attributes) {
      all.members.push_back({attribute.name, info_value(attribute)});
    }
    TextOutput output(out_, uri_);
    output.text() = text_of(std::move(all)) + "\n";
    output.finish();
    return 0;
  }

 private:
  [[nodiscard]] std::string text_of(PyValue all) const {
    if (metadata_) return json_dump(member(all, "metadata"));
    if (!field_.empty()) return py_print(member(all, field_));
    std::erase_if(all.members, [](const auto& member) { return member.key == "metadata"; });
    return json_dump(all);
  }

  [[nodiscard]] const PyValue& member(const PyValue& all, const std::string& name) const {
    for (const auto& [key, value] : all.members) {
      if (key == name) return value;
    }
    fail(ErrorCode::usage, "{} has no attribute '{}'", uri_, name);
  }

  std::string uri_;
  std::string field_;
  bool metadata_ = false;
  std::string out_;
};

// Children follow their parent at one depth more: the objects of one level under `objects[at]`.
std::vector<std::size_t> children_of(const std::vector<FileObject>& objects, std::size_t at) {
  std::vector<std::size_t> children;
  for (std::size_t i = at + 1; i < objects.size() && objects[i].depth > objects[at].depth; ++i) {
    if (objects[i].depth == objects[at].depth + 1) children.push_back(i);
  }
  return children;
}

class Tree : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("tree", "Draw the groups and datasets of a file");
    command->add_option("URI", uri_, "FILE or FILE::GROUP")->required()->type_name("");
    command->add_option("-L,--level", levels_, "How many levels down [default: all]")
        ->check(CLI::NonNegativeNumber)
        ->type_name("INT");
    add_console_options(*command);
    return command;
  }

  int run(Console& console) override {
    const std::vector<FileObject> objects = list_objects(uri_, levels_, "", &console);
    draw(objects, 0, "");
    return 0;
  }

 private:
  static std::string text_of(const FileObject& object) {
    if (object.is_group) return object.name;
    std::string shape;
    for (const std::uint64_t n : object.shape) {
      shape += (shape.empty() ? "" : ", ") + std::to_string(n);
    }
    return fmt::format("{} ({}{}) {}", object.name, shape, object.shape.size() == 1 ? "," : "",
                       object.type);
  }

  static void draw(const std::vector<FileObject>& objects, std::size_t at,
                   const std::string& prefix) {
    fmt::print("{}\n", text_of(objects[at]));
    const std::vector<std::size_t> children = children_of(objects, at);
    for (const std::size_t child : children) {
      const bool last = child == children.back();
      fmt::print("{}{}", prefix, last ? " └── " : " ├── ");
      draw(objects, child, prefix + (last ? "    " : " │  "));
    }
  }

  std::string uri_;
  std::int64_t levels_ = -1;
};

class Attrs : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command =
        program.add_subcommand("attrs", "Print the attributes of all objects of a file as YAML");
    command->add_option("URI", uri_, "FILE or FILE::GROUP")->required()->type_name("");
    command->add_option("-L,--level", levels_, "How many levels down [default: all]")
        ->check(CLI::NonNegativeNumber)
        ->type_name("INT");
    add_console_options(*command);
    return command;
  }

  int run(Console& console) override {
    const std::vector<FileObject> objects = list_objects(uri_, levels_, "", &console);
    fmt::print("{}\n", yaml_dump(attributes_of(objects, 0)));
    return 0;
  }

 private:
  static PyValue attributes_of(const std::vector<FileObject>& objects, std::size_t at) {
    PyValue own;
    own.kind = PyValue::Kind::dict;
    for (const ObjectAttribute& attribute : objects[at].attributes) {
      own.members.push_back({attribute.name, with_moment(attribute)});
    }
    PyValue all;
    all.kind = PyValue::Kind::dict;
    all.members.push_back({"@attrs", std::move(own)});
    for (const std::size_t child : children_of(objects, at)) {
      all.members.push_back({objects[child].name, attributes_of(objects, child)});
    }
    return all;
  }

  // A text like 2024-02-29T10:00:00.5 is a moment, which is written in another way.
  static PyValue with_moment(const ObjectAttribute& attribute) {
    PyValue value = info_value(attribute);
    static const std::regex pattern(
        "([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2}:[0-9]{2})\\.([0-9]{1,6})");
    std::smatch parts;
    if (value.kind != PyValue::Kind::text || !std::regex_match(value.text, parts, pattern)) {
      return value;
    }
    std::string fraction = parts[3].str();
    fraction.resize(6, '0');
    std::string moment = parts[1].str() + " " + parts[2].str();
    if (fraction != "000000") moment += "." + fraction;
    value.kind = PyValue::Kind::moment;
    value.text = moment;
    return value;
  }

  std::string uri_;
  std::int64_t levels_ = -1;
};

}  // namespace

std::unique_ptr<Command> make_verify() { return std::make_unique<Verify>(); }
std::unique_ptr<Command> make_ls() { return std::make_unique<Ls>(); }
std::unique_ptr<Command> make_info() { return std::make_unique<Info>(); }
std::unique_ptr<Command> make_tree() { return std::make_unique<Tree>(); }
std::unique_ptr<Command> make_attrs() { return std::make_unique<Attrs>(); }

}  // namespace ziggurat::cli
