// What of a pass under way survives a kill: the chunks that are finished, and at intervals a small
// state from which the pass goes on at a span.
//
// Invariant: the state names a length of the log; the log was synced to that length before the
// state was written; the state is replaced as a whole. So at any moment there is one state, and the
// chunks it speaks of are there.
// Thread rules: one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/chunk_log.hpp"
#include "wire/frame.hpp"

namespace ziggurat::engine {

class PassKeeper {
 public:
  // `name`: path that the two files' names begin with. `before_save` may throw to end the run.
  PassKeeper(const std::string& name, std::chrono::milliseconds interval,
             std::function<void()> before_save);

  // The state last saved, once its chunks are proven; nothing when there is none. Throws
  // Error{format} when state or chunks are damaged.
  [[nodiscard]] std::optional<std::vector<std::byte>> load();

  // The log, open at the end of what was loaded; without a load, empty.
  [[nodiscard]] ChunkLog& log();
  // Drops what was loaded or saved: the pass begins anew.
  void forget();

  [[nodiscard]] bool is_due() const;
  // Makes the log and then this state durable.
  void save(std::span<const std::byte> state);
  // Of what was saved or loaded last.
  void visit_log(const ChunkLog::Visitor& visitor) const;

  // Removes both files.
  void remove();

 private:
  std::string state_path_;
  std::string log_path_;
  std::chrono::milliseconds interval_;
  std::function<void()> before_save_;
  std::uint64_t kept_ = 0;  // bytes of the log
  std::optional<ChunkLog> log_;
  std::chrono::steady_clock::time_point saved_at_ = std::chrono::steady_clock::now();
};

}  // namespace ziggurat::engine
