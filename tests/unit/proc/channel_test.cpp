// Channels: big, cut, damaged and unread messages.
#include "proc/channel.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <thread>

#include "proc/child.hpp"
#include "roles.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::proc {
namespace {

// The text with which a child in that role makes receive() fail.
std::string complaint_about(const std::string& role) {
  Child child = Child::spawn(roles::request(role));
  try {
    (void)child.channel().receive();
    return "nothing";
  } catch (const Error& error) {
    REQUIRE(error.code() == ErrorCode::worker);
    return error.what();
  }
}

TEST_CASE("a message of 100 MB arrives whole") {
  Child child = Child::spawn(roles::request("big"));
  const std::optional<wire::Frame> frame = child.channel().receive();
  REQUIRE(frame);
  REQUIRE(frame->payload.size() == roles::kBigBytes);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < frame->payload.size(); ++i) {
    wrong += frame->payload[i] == roles::pattern(i) ? 0U : 1U;
  }
  REQUIRE(wrong == 0);
  REQUIRE_FALSE(child.channel().receive());
}

TEST_CASE("an end inside a message is told from an end between two") {
  REQUIRE(complaint_about("cut header") == "reader 2: stopped inside a message");
  REQUIRE(complaint_about("cut payload") == "reader 2: stopped inside a message");
  REQUIRE(complaint_about("exit7") == "nothing");
}

TEST_CASE("what is no message is refused with the sender's name") {
  REQUIRE(complaint_about("noise") == "reader 2: damaged message: wrong magic number");
}

TEST_CASE("a made-up length takes no memory before its bytes arrive") {
  auto [near, far] = make_channel_pair("reader 2", "parent");
  auto header = wire::encode_header(1, {});
  header[11] = std::byte{0x40};  // claims 2^30 bytes
  REQUIRE(::send(far.fd(), header.data(), header.size(), 0) == 20);
  { const Channel gone = std::move(far); }
  REQUIRE_THROWS_WITH(near.receive(), "reader 2: stopped inside a message");
}

TEST_CASE("all the messages a parent may have under way fit without being read") {
  auto [near, far] = make_channel_pair("reader 2", "parent");
  // Instead of blocking, a send that does not fit then fails.
  REQUIRE(::fcntl(near.fd(), F_SETFL, O_NONBLOCK) == 0);
  const std::vector<std::byte> payload(kSmallPayloadBytes, std::byte{7});
  for (int i = 0; i < kMaxUnreadFrames; ++i) near.send(5, payload);
  for (int i = 0; i < kMaxUnreadFrames; ++i) REQUIRE(far.receive()->payload == payload);
}

TEST_CASE("a peer that went with our message unread is an orderly end") {
  auto [near, far] = make_channel_pair("reader 2", "parent");
  far.send(8, {});
  near.send(5, {});
  { const Channel gone = std::move(far); }
  REQUIRE(near.receive()->kind == 8);
  REQUIRE_FALSE(near.receive());
  REQUIRE_THROWS_WITH(near.send(5, {}), "reader 2 has gone away");
}

TEST_CASE("one thread may send while another receives") {
  auto [near, far] = make_channel_pair("reader 2", "parent");
  const std::vector<std::byte> big(std::size_t{8} << 20, std::byte{1});
  std::thread echo([&far] { roles::play_echo(far); });
  std::thread sender([&near, &big] {
    for (std::uint16_t i = 0; i < 5; ++i) near.send(i, big);
    ::shutdown(near.fd(), SHUT_WR);
  });
  for (std::uint16_t i = 0; i < 5; ++i) {
    const std::optional<wire::Frame> frame = near.receive();
    REQUIRE(frame);
    REQUIRE(frame->kind == i);
    REQUIRE(frame->payload == big);
  }
  sender.join();
  echo.join();
}

}  // namespace
}  // namespace ziggurat::proc
