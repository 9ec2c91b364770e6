#include "cli/console.hpp"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <thread>

#include "captured.hpp"
#include "cli/json.hpp"

namespace ziggurat::cli {
namespace {

// A stage that begins, goes on and ends, another, and a note between them.
void play(Console& console) {
  console.progress({"reading", "in.cool", 1, 4});
  console.progress({"reading", "in.cool", 3, 4});
  console.progress({"reading", "in.cool", 4, 4});
  console.note("bins were rebuilt");
  console.progress({"assembling", "out.mcool", 0, 0});
}

std::string said(ConsoleOptions options) {
  const Captured err(STDERR_FILENO);
  {
    Console console(options);
    play(console);
  }
  return err.text();
}

// The two ends of a new terminal: what the program writes to one is read from the other.
class Terminal {
 public:
  Terminal() : reader_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    REQUIRE(::grantpt(reader_) == 0);
    REQUIRE(::unlockpt(reader_) == 0);
    writer_ = ::open(::ptsname(reader_), O_RDWR | O_NOCTTY);
    REQUIRE(writer_ >= 0);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    ::close(writer_);
    ::close(reader_);
  }

  [[nodiscard]] int writer() const { return writer_; }
  [[nodiscard]] std::string text() const {
    std::string text;
    pollfd entry{reader_, POLLIN, 0};
    while (::poll(&entry, 1, 50) == 1) {
      char part[4096];
      const ssize_t n = ::read(reader_, part, sizeof part);
      if (n <= 0) break;
      text.append(part, static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  int reader_;
  int writer_ = -1;
};

std::string said_to_terminal(const char* term, ProgressMode mode) {
  const Terminal terminal;
  const char* const old = std::getenv("TERM");
  const std::string kept = old == nullptr ? "" : old;
  ::setenv("TERM", term, 1);
  {
    const Captured err(STDERR_FILENO, terminal.writer());
    Console console({mode, false});
    console.progress({"reading", "in.cool", 1, 4});
    console.note("bins were rebuilt");
    console.progress({"reading", "in.cool", 4, 4});
  }
  kept.empty() ? ::unsetenv("TERM") : ::setenv("TERM", kept.c_str(), 1);
  return terminal.text();
}

}  // namespace

TEST_CASE("plain progress is a line a stage, and notes") {
  const std::string expected =
      "reading in.cool 25 %  1 pixels\n"
      "note: bins were rebuilt\n"
      "assembling out.mcool\n";
  CHECK(said({ProgressMode::plain, false}) == expected);
  CHECK(said({ProgressMode::automatic, false}) == expected);
}

TEST_CASE("json progress is an object a line, the end of a stage too") {
  CHECK(
      said({ProgressMode::json, false}) ==
      R"({"stage":"reading","object":"in.cool","done":1,"total":4,"unit":"pixels","per_second":null,"seconds_left":null})"
      "\n"
      R"({"stage":"reading","object":"in.cool","done":4,"total":4,"unit":"pixels","per_second":null,"seconds_left":null})"
      "\n"
      R"({"note":"bins were rebuilt"})"
      "\n"
      R"({"stage":"assembling","object":"out.mcool","done":0,"total":0,"unit":"pixels","per_second":null,"seconds_left":null})"
      "\n");
}

TEST_CASE("without progress notes remain, quiet leaves nothing") {
  CHECK(said({ProgressMode::none, false}) == "note: bins were rebuilt\n");
  for (const ProgressMode mode :
       {ProgressMode::automatic, ProgressMode::plain, ProgressMode::json, ProgressMode::none}) {
    CHECK(said({mode, true}).empty());
  }
}

TEST_CASE("no line says error or exception with a colon") {
  for (const ProgressMode mode :
       {ProgressMode::automatic, ProgressMode::plain, ProgressMode::json, ProgressMode::none}) {
    std::string text = said({mode, false});
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    CHECK_THAT(text, !Catch::Contains("error:"));
    CHECK_THAT(text, !Catch::Contains("exception:"));
  }
}

TEST_CASE("on a terminal one line is redrawn, and cleared before anything else") {
  // The terminal itself makes \n a carriage return and a line feed.
  CHECK(said_to_terminal("xterm", ProgressMode::automatic) ==
        "\r\x1b[Kreading in.cool 25 %  1 pixels"
        "\r\x1b[Knote: bins were rebuilt\r\n"
        "\r\x1b[Kreading in.cool 100 %  4 pixels"
        "\r\x1b[K");
}

TEST_CASE("after half a second it says how fast the work goes and how long it will take") {
  const auto play_slowly = [](ProgressMode mode, const char* unit, std::uint64_t end) {
    Console console({mode, false});
    console.progress({"reading", "in.cool", 2000, 10'004'000, unit});
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    console.progress({"reading", "in.cool", 5'002'000, end, unit});
  };
  const auto on_terminal = [&](const char* unit) {
    const Terminal terminal;
    ::setenv("TERM", "xterm", 1);
    const Captured err(STDERR_FILENO, terminal.writer());
    play_slowly(ProgressMode::automatic, unit, 10'004'000);
    return terminal.text();
  };
  // 5 M in 0.6 s and, on a busy machine, more; as much again is left.
  CHECK_THAT(on_terminal("pixels"),
             Catch::Matches(R"((.|\r|\n)*reading in\.cool 50 %  5\.0 M pixels  )"
                            R"([1-8]\.\d M/s  (\d+ ms|\d\.\d s) left(.|\r|\n)*)"));
  CHECK_THAT(on_terminal("bytes"), Catch::Contains("4.8 MiB  ") && Catch::Contains(" MiB/s  "));
  const Captured err(STDERR_FILENO);
  play_slowly(ProgressMode::json, "rounds", 5'002'000);
  CHECK_THAT(err.text(), Catch::Matches(R"((.|\n)*"done":5002000,"total":5002000,"unit":"rounds",)"
                                        R"("per_second":[1-8]\d{6}\.\d+,"seconds_left":null\}\n)"));
}

TEST_CASE("a terminal that cannot redraw, or plain mode, gets lines") {
  const std::string lines = "reading in.cool 25 %  1 pixels\r\nnote: bins were rebuilt\r\n";
  CHECK(said_to_terminal("dumb", ProgressMode::automatic) == lines);
  CHECK(said_to_terminal("xterm", ProgressMode::plain) == lines);
}

TEST_CASE("without a signal nothing is cancelled") {
  Console console({ProgressMode::none, true});
  CHECK_FALSE(console.cancelled());
}

TEST_CASE("text is escaped as JSON wants it") {
  CHECK(json_text("") == R"("")");
  CHECK(json_text(R"(a "b" \c)") == R"("a \"b\" \\c")");
  CHECK(json_text("tab\tline\nbell\x07") == R"("tab\u0009line\u000abell\u0007")");
  CHECK(json_text("caf\xc3\xa9") == "\"caf\xc3\xa9\"");
}

}  // namespace ziggurat::cli
