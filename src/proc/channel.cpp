// Frames over a stream socket pair. A socket and not a pipe, because one descriptor serves both
// directions and MSG_NOSIGNAL spares us SIGPIPE without touching the host's signal handling.
//
// A peer that died is seen in three ways, all of them an end and none a crash: end of file, EPIPE
// on sending, and ECONNRESET when it died with messages of ours unread. What it had sent before can
// still be read first.
#include "proc/channel.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "base/check.hpp"
#include "proc/system_error.hpp"

namespace ziggurat::proc {
namespace {

// Room for kMaxUnreadFrames of kSmallPayloadBytes, which the kernel books at about twice their
// size, whatever default the administrator has set. Measured with unread frames in the test.
constexpr int kSendBufferBytes = 256 * 1024;

// A length that a broken child made up must not make us touch that much memory: a payload takes
// pages only as its bytes arrive.
constexpr std::size_t kReadStepBytes = std::size_t{4} << 20;

[[noreturn]] void fail_gone(const std::string& peer) {
  fail(ErrorCode::worker, "{} has gone away", peer);
}

[[noreturn]] void fail_cut() { fail(ErrorCode::worker, "stopped inside a message"); }

// Drops the first sent bytes from what is still to be sent.
void drop_front(std::span<iovec> parts, std::size_t sent) {
  for (iovec& part : parts) {
    const std::size_t step = std::min(sent, part.iov_len);
    part.iov_base = static_cast<std::byte*>(part.iov_base) + step;
    part.iov_len -= step;
    sent -= step;
  }
}

UniqueFd prepared_end(int fd) {
  UniqueFd end(fd);
  // A refusal leaves the system's default, which is nearly as large unless somebody lowered it.
  ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSendBufferBytes, sizeof(kSendBufferBytes));
  return end;
}

}  // namespace

void Channel::send(std::uint16_t kind, std::span<const std::byte> payload) {
  std::array<std::byte, wire::kFrameHeaderBytes> header = wire::encode_header(kind, payload);
  // sendmsg does not write through its pointers; its struct only lacks the const.
  std::array<iovec, 2> parts{
      {{header.data(), header.size()}, {const_cast<std::byte*>(payload.data()), payload.size()}}};
  std::size_t left = header.size() + payload.size();
  while (left > 0) {
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE || errno == ECONNRESET) fail_gone(peer_);
      fail_errno(ErrorCode::worker, fmt::format("cannot send to {}", peer_), errno);
    }
    drop_front(parts, static_cast<std::size_t>(sent));
    left -= static_cast<std::size_t>(sent);
  }
}

std::optional<wire::Frame> Channel::receive() {
  std::array<std::byte, wire::kFrameHeaderBytes> bytes;
  const std::size_t got = read_fully(bytes);
  if (got == 0) return std::nullopt;
  try {
    if (got < bytes.size()) fail_cut();
    const wire::FrameHeader header = wire::decode_header(bytes);
    wire::Frame frame{header.kind, read_payload(static_cast<std::size_t>(header.payload_bytes))};
    wire::check_payload(header, frame.payload);
    return frame;
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", peer_, error.what());
  }
}

std::vector<std::byte> Channel::read_payload(std::size_t size) {
  std::vector<std::byte> payload;
  payload.reserve(size);
  while (payload.size() < size) {
    const std::size_t start = payload.size();
    payload.resize(start + std::min(kReadStepBytes, size - start));
    const std::span<std::byte> step = std::span(payload).subspan(start);
    if (read_fully(step) < step.size()) fail_cut();
  }
  return payload;
}

std::size_t Channel::read_fully(std::span<std::byte> into) {
  std::size_t got = 0;
  while (got < into.size()) {
    const ssize_t n = ::recv(socket_.get(), into.data() + got, into.size() - got, 0);
    if (n > 0) {
      got += static_cast<std::size_t>(n);
    } else if (n == 0 || errno == ECONNRESET) {
      break;
    } else if (errno != EINTR) {
      fail_errno(ErrorCode::worker, fmt::format("cannot hear {}", peer_), errno);
    }
  }
  return got;
}

std::pair<Channel, Channel> make_channel_pair(const std::string& far_name,
                                              const std::string& near_name) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail_errno(ErrorCode::worker, fmt::format("cannot make a channel to {}", far_name), errno);
  }
  UniqueFd near = prepared_end(ends[0]);
  UniqueFd far = prepared_end(ends[1]);
  return {Channel(std::move(near), far_name), Channel(std::move(far), near_name)};
}

}  // namespace ziggurat::proc
