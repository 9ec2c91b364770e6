// Framing. A stream has no message boundaries, and the program at its other end may be dying or may
// have let a library write into the wrong descriptor. So each message carries a magic number and a
// version (is this ours at all?), its length (checked before anything is allocated) and a CRC over
// header and payload (is it whole, and was nothing written in between?).
//
// Cost: that of the CRC. Pixels travel in shared memory and only control messages come this way, so
// a faster and longer one would gain nothing.
#include "wire/frame.hpp"

#include "base/check.hpp"
#include "base/crc32.hpp"

namespace ziggurat::wire {
namespace {

// Sent; changing them, or the order of fields, needs a new version number.
constexpr std::uint32_t kMagic = 0x4D46475A;  // "ZGFM" as bytes in the stream
constexpr std::uint16_t kVersion = 1;
constexpr std::size_t kCheckedHeaderBytes = 16;

template <typename T>
void store(std::span<std::byte> to, std::size_t offset, T value) {
  std::memcpy(to.subspan(offset, sizeof(T)).data(), &value, sizeof(T));
}

template <typename T>
T load(std::span<const std::byte> from, std::size_t offset) {
  T value;
  std::memcpy(&value, from.subspan(offset, sizeof(T)).data(), sizeof(T));
  return value;
}

std::array<std::byte, kFrameHeaderBytes> unchecked_header(std::uint16_t kind,
                                                          std::uint64_t payload_bytes) {
  std::array<std::byte, kFrameHeaderBytes> bytes{};
  store(bytes, 0, kMagic);
  store(bytes, 4, kVersion);
  store(bytes, 6, kind);
  store(bytes, 8, payload_bytes);
  return bytes;
}

std::uint32_t checksum_of(std::span<const std::byte> header, std::span<const std::byte> payload) {
  return crc32(payload, crc32(header.first(kCheckedHeaderBytes)));
}

}  // namespace

std::uint32_t frame_checksum(std::uint16_t kind, std::span<const std::byte> payload) {
  return checksum_of(unchecked_header(kind, payload.size()), payload);
}

std::array<std::byte, kFrameHeaderBytes> encode_header(std::uint16_t kind,
                                                       std::span<const std::byte> payload) {
  if (payload.size() > kMaxPayloadBytes) {
    fail(ErrorCode::internal, "message of {} bytes is over the limit of {}", payload.size(),
         kMaxPayloadBytes);
  }
  std::array<std::byte, kFrameHeaderBytes> bytes = unchecked_header(kind, payload.size());
  store(bytes, kCheckedHeaderBytes, checksum_of(bytes, payload));
  return bytes;
}

FrameHeader decode_header(std::span<const std::byte, kFrameHeaderBytes> bytes) {
  if (load<std::uint32_t>(bytes, 0) != kMagic) {
    fail(ErrorCode::worker, "damaged message: wrong magic number");
  }
  const std::uint16_t version = load<std::uint16_t>(bytes, 4);
  if (version != kVersion) {
    fail(ErrorCode::worker, "message of protocol version {}, expected {}", version, kVersion);
  }
  FrameHeader header;
  header.kind = load<std::uint16_t>(bytes, 6);
  header.payload_bytes = load<std::uint64_t>(bytes, 8);
  header.checksum = load<std::uint32_t>(bytes, kCheckedHeaderBytes);
  if (header.payload_bytes > kMaxPayloadBytes) {
    fail(ErrorCode::worker, "damaged message: length {} is over the limit of {}",
         header.payload_bytes, kMaxPayloadBytes);
  }
  return header;
}

void check_payload(const FrameHeader& header, std::span<const std::byte> payload) {
  if (payload.size() != header.payload_bytes) {
    fail(ErrorCode::worker, "damaged message: {} bytes instead of {}", payload.size(),
         header.payload_bytes);
  }
  if (frame_checksum(header.kind, payload) != header.checksum) {
    fail(ErrorCode::worker, "damaged message: wrong checksum");
  }
}

void Encoder::put_string(std::string_view text) {
  if (text.size() > kMaxPayloadBytes) {
    fail(ErrorCode::internal, "string of {} bytes is too long for a message", text.size());
  }
  put(narrow<std::uint32_t>(text.size()));
  append(text.data(), text.size());
}

void Encoder::append(const void* data, std::size_t size) {
  const std::byte* first = static_cast<const std::byte*>(data);
  bytes_.insert(bytes_.end(), first, first + size);
}

std::string Decoder::get_string() {
  const std::span<const std::byte> from = take_counted<std::uint32_t>(1);
  std::string text(from.size(), '\0');
  if (!from.empty()) std::memcpy(text.data(), from.data(), from.size());
  return text;
}

void Decoder::expect_end() const {
  if (!rest_.empty()) {
    fail(ErrorCode::worker, "damaged message: {} bytes too many", rest_.size());
  }
}

std::span<const std::byte> Decoder::take(std::size_t size) {
  if (size > rest_.size()) {
    fail(ErrorCode::worker, "damaged message: {} bytes wanted where {} are left", size,
         rest_.size());
  }
  const std::span<const std::byte> taken = rest_.first(size);
  rest_ = rest_.subspan(size);
  return taken;
}

// Compares by division: count times element_bytes may overflow.
template <typename Count>
std::span<const std::byte> Decoder::take_counted(std::size_t element_bytes) {
  Decoder ahead = *this;
  const Count count = ahead.get<Count>();
  if (count > ahead.remaining() / element_bytes) {
    fail(ErrorCode::worker, "damaged message: {} elements of {} bytes where {} bytes are left",
         count, element_bytes, ahead.remaining());
  }
  const std::span<const std::byte> taken = ahead.take(std::size_t{count} * element_bytes);
  *this = ahead;
  return taken;
}

template std::span<const std::byte> Decoder::take_counted<std::uint64_t>(std::size_t);

}  // namespace ziggurat::wire
