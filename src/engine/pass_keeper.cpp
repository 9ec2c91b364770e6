#include "engine/pass_keeper.hpp"

#include <cstdio>

#include "engine/durable_file.hpp"

namespace ziggurat::engine {

PassKeeper::PassKeeper(const std::string& name, std::chrono::milliseconds interval,
                       std::function<void()> before_save)
    : state_path_(name + ".state"),
      log_path_(name + ".chunks"),
      interval_(interval),
      before_save_(std::move(before_save)) {}

std::optional<std::vector<std::byte>> PassKeeper::load() {
  std::optional<std::vector<std::byte>> sealed = read_sealed(state_path_);
  if (!sealed) return std::nullopt;
  wire::Decoder in(*sealed);
  const auto length = in.get<std::uint64_t>();
  ChunkLog::visit(log_path_, length, [](const ChunkRecord&, std::span<const std::byte>) {});
  kept_ = length;
  sealed->erase(sealed->begin(), sealed->begin() + sizeof(length));
  return sealed;
}

ChunkLog& PassKeeper::log() {
  if (!log_) log_.emplace(log_path_, kept_);
  return *log_;
}

void PassKeeper::forget() {
  remove();
  kept_ = 0;
}

bool PassKeeper::is_due() const {
  return std::chrono::steady_clock::now() - saved_at_ >= interval_;
}

void PassKeeper::save(std::span<const std::byte> state) {
  before_save_();
  kept_ = log().sync();
  wire::Encoder out;
  out.put(kept_);
  std::vector<std::byte> payload(out.payload().begin(), out.payload().end());
  payload.insert(payload.end(), state.begin(), state.end());
  write_sealed(state_path_, payload);
  saved_at_ = std::chrono::steady_clock::now();
}

void PassKeeper::visit_log(const ChunkLog::Visitor& visitor) const {
  ChunkLog::visit(log_path_, kept_, visitor);
}

void PassKeeper::remove() {
  log_.reset();
  // The state goes first: it must not speak of chunks that are gone.
  std::remove(state_path_.c_str());
  std::remove(log_path_.c_str());
}

}  // namespace ziggurat::engine
