// A child process that keeps one map open, seen from the one who asks.
//
// Who owns what: the client owns the child and its slots; the pixels of a block are valid until the
// next call. Who wakes whom: every call waits for the child's answer. How it ends: the destructor
// closes the channel and kills. The child is not bound to the thread that started it (see
// kServeOption), so a client may be handed from thread to thread. Memory: 12 slots.
// A client that threw is of no further use.
// Thread rules: one thread at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "genome/uri.hpp"
#include "proc/child.hpp"
#include "proc/shared_memory.hpp"
#include "reader/protocol.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat::engine {

class MapClient {
 public:
  // Opens the map. Throws what cool::describe() throws, and Error{worker}.
  MapClient(const std::string& program, const genome::Uri& uri, std::uint64_t slot_bytes,
            Observer& observer);

  [[nodiscard]] const reader::Opened& opened() const { return opened_; }
  [[nodiscard]] TableColumn column(const std::string& table, const std::string& name,
                                   Observer& observer);
  // Where rows [first, end) begin in the pixel table, and where the last one ends.
  [[nodiscard]] std::vector<std::int64_t> row_offsets(std::int64_t first, std::int64_t end,
                                                      Observer& observer);

  // Asks for pixels; they come by next(). Requires: the pixels asked for before have all come.
  void start(const reader::LookUp& question, Observer& observer);
  // The next block, proven to lie within what was asked for; null after the last.
  struct Answer {
    reader::Block block;
    reader::BlockView view;
  };
  const Answer* next(Observer& observer);

  // False in a fork of the process that started the child, and when the child has ended.
  [[nodiscard]] bool usable();

 private:
  void send(reader::Kind kind, const wire::Encoder& message, Observer& observer);
  wire::Frame receive(Observer& observer);
  wire::Frame expect(reader::Kind kind, Observer& observer);
  void check(const Answer& answer);

  std::string file_;
  pid_t owner_;
  std::uint64_t slot_bytes_;
  proc::SharedMemory slots_;
  proc::Child child_;
  reader::Opened opened_;
  reader::LookUp question_;
  bool answering_ = false;
  std::uint64_t last_row_ = 0;
  std::optional<Answer> answer_;  // whose slot is still ours
};

}  // namespace ziggurat::engine
