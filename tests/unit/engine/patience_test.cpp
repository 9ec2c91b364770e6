#include "engine/patience.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "ziggurat/error.hpp"

namespace ziggurat::engine {
namespace {

using namespace std::chrono_literals;

struct Listener : Observer {
  void note(const std::string& text) override { notes.push_back(text); }
  bool cancelled() override { return stop; }
  std::vector<std::string> notes;
  bool stop = false;
};

}  // namespace

TEST_CASE("a long wait is spoken of at least every 30 s") {
  Listener listener;
  Patience patience("reader 2 of map.cool", listener);
  std::chrono::milliseconds silent = 0ms;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t before = listener.notes.size();
    patience.waited(100ms);
    silent = listener.notes.size() > before ? 0ms : silent + 100ms;
    REQUIRE(silent < 30s);
  }
  CHECK(listener.notes.front().find("reader 2 of map.cool has sent nothing for 25 s") == 0);
}

TEST_CASE("short waits are not spoken of") {
  Listener listener;
  Patience patience("reader 2 of map.cool", listener);
  for (int i = 0; i < 200; ++i) patience.waited(100ms);
  CHECK(listener.notes.empty());
}

TEST_CASE("patience has an end") {
  Listener listener;
  Patience patience("reader 2 of map.cool", listener);
  for (int i = 0; i < 359; ++i) patience.waited(10s);
  CHECK_THROWS_WITH(patience.waited(10s),
                    Catch::Contains("reader 2 of map.cool has sent nothing for 60 minutes"));
}

TEST_CASE("a wait ends when the caller wants no more") {
  Listener listener;
  Patience patience("reader 2 of map.cool", listener);
  patience.waited(100ms);
  listener.stop = true;
  try {
    patience.waited(100ms);
    FAIL("not cancelled");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::cancelled);
  }
}

}  // namespace ziggurat::engine
