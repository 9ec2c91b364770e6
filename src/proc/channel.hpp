// One end of a stream of frames between a parent and its child process.
//
// Rule that keeps two blocking ends from waiting for each other: a child may send anything at any
// time and block until it is read; a parent has at most kMaxUnreadFrames frames of at most
// kSmallPayloadBytes each under way to one child, counted by the child's replies. That many
// always fit the socket's buffer, so a parent's send does not block, not even on a child that is
// stopped or stuck, and the parent is always free to read. A first, larger message with the
// child's orders is no exception worth fearing: a child reads it before it sends anything.
//
// Thread rules: one thread at a time may send and one may receive; they may be two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "proc/fd.hpp"
#include "wire/frame.hpp"

namespace ziggurat::proc {

inline constexpr std::size_t kSmallPayloadBytes = 4096;
inline constexpr int kMaxUnreadFrames = 16;

class Channel final {
 public:
  // peer names the other end in messages, for example "reader 2". socket is a connected stream.
  Channel(UniqueFd socket, std::string peer) : socket_(std::move(socket)), peer_(std::move(peer)) {}

  // Returns when the system has taken the whole frame. Throws Error{worker} when the peer is gone.
  // Never raises SIGPIPE.
  void send(std::uint16_t kind, std::span<const std::byte> payload);

  // Waits for a whole frame; nullopt when the peer closed its end between two frames (whether that
  // was allowed is for the caller to say: a stream without its end message is a fault). Throws
  // Error{worker} when the peer went away inside a frame or sent something that is no frame; the
  // channel is of no use afterwards.
  [[nodiscard]] std::optional<wire::Frame> receive();

  // Readable when receive() has something to say.
  [[nodiscard]] int fd() const noexcept { return socket_.get(); }
  [[nodiscard]] const std::string& peer() const noexcept { return peer_; }

 private:
  // Number of bytes read, less than into.size() only at the end of the stream.
  std::size_t read_fully(std::span<std::byte> into);
  std::vector<std::byte> read_payload(std::size_t size);

  UniqueFd socket_;
  std::string peer_;
};

// Two connected ends, the near one and the far one; each is told what to call the other.
[[nodiscard]] std::pair<Channel, Channel> make_channel_pair(const std::string& far_name,
                                                            const std::string& near_name);

}  // namespace ziggurat::proc
