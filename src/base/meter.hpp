// Where the time of a run goes: what each stage of a thread's work moved, how long it was busy with
// it, and how long it waited for somebody else.
//
// A Meter watches the thread that made it. A StageScope says what the thread does until the scope
// ends; scopes nest, and time goes to the innermost alone, so that a thread's stages add up to its
// life. The meter of a run also takes in what others measured for it: reader processes, encoder
// threads. It is found by thread and not handed around, so that no class has to speak of time.
// Cost: a scope reads the clock twice, some 50 ns, so scopes stand around batches, chunks and
// messages, never around pixels; that is why everything is always counted. On a thread without a
// meter a scope does nothing.
// Thread rules: a meter belongs to the thread that made it; counts are plain values.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ziggurat {

// In the order of the work. A reader process: orders to hand_over; the thread that runs the build,
// the writer: the rest.
enum class Stage : std::uint8_t {
  plan,       // looking at sources, deciding
  orders,     // a reader has nothing to do
  prove,      // bin1_id into row offsets
  inflate,    // chunks into columns
  check,      // rules of pixels, sums
  coarsen,    // pixels into pixels of the next levels
  hand_over,  // pixels and stored chunks into slots
  take_in,    // what readers send
  pack,       // pixels into chunks, or into the store that balancing reads
  encode,     // chunks compressed
  store,      // chunks into a level's file
  tables,     // bins, indexes, attributes of a level
  iterate,    // filters and rounds of balancing; pixels are counted in every round
  weights,    // weights into a file
  assemble,   // levels into the output
  publish,    // the output to its name
};
inline constexpr std::size_t kStages = static_cast<std::size_t>(Stage::publish) + 1;

// As people read it: "hand over".
[[nodiscard]] const char* name(Stage stage);

// What went through a stage. Items are what it handles at a time: batches, chunks, messages.
struct Moved {
  std::uint64_t items = 0;
  std::uint64_t pixels = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

// Sent between processes as it is.
struct StageCounts {
  Moved moved;
  std::uint64_t busy_ns = 0;
  std::uint64_t waiting_ns = 0;
  std::uint64_t waits = 0;
};
using StageTable = std::array<StageCounts, kStages>;
void merge(const StageTable& from, StageTable& into);

// Of a whole process. Sent between processes as it is.
struct Usage {
  std::uint64_t cpu_ns = 0;  // in user code and in the kernel
  std::uint64_t peak_bytes =
      0;  // most memory resident at once, what it shares with others included
};
[[nodiscard]] Usage process_usage();

// One process, or a group of threads within one.
struct Account {
  std::string name;
  int threads = 1;
  StageTable stages{};
  Usage usage;  // zero for threads: their process has it
};

class Meter {
 public:
  // Switches itself on; `idle` is what the thread does outside of any scope.
  explicit Meter(Stage idle);
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  // The thread has the meter it had before. Requires: no scope is open.
  ~Meter();

  // This thread's; null when it has none.
  [[nodiscard]] static Meter* current() noexcept;

  // Up to now.
  [[nodiscard]] const StageTable& stages();
  // Wall time since it was made.
  [[nodiscard]] std::uint64_t age_ns() const;

  // Takes in what somebody else measured. Accounts of one name are added up, their peaks compared.
  void add(const Account& account);
  [[nodiscard]] const std::vector<Account>& accounts() const { return accounts_; }

 private:
  friend class StageScope;
  friend class WaitScope;
  friend void count(const Moved& moved);
  using Clock = std::chrono::steady_clock;

  // Books the time since the last call.
  void settle();
  [[nodiscard]] StageCounts& here() { return stages_[static_cast<std::size_t>(stage_)]; }

  StageTable stages_{};
  Stage stage_;
  bool waiting_ = false;
  Clock::time_point begin_;
  Clock::time_point last_;
  std::vector<Account> accounts_;
  Meter* before_;
};

class StageScope {
 public:
  explicit StageScope(Stage stage);
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;
  ~StageScope();

 private:
  Meter* meter_;
  Stage before_{};
};

// Within a stage: until the scope ends, the thread can only wait.
class WaitScope {
 public:
  WaitScope();
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;
  ~WaitScope();

 private:
  Meter* meter_;
};

// Adds to what went through the stage that this thread is in.
void count(const Moved& moved);

}  // namespace ziggurat
