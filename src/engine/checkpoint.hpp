// A folder in which a build survives kills; docs/checkpoints.md tells its user what it promises.
//
// What is kept, and when it counts as done:
//   job            the text of the job (job_text.hpp); when the folder is made
//   sources        identity and CRC-32 of each source file; then, and when they move
//   source-N.*     a pass under way (pass_keeper.hpp); at intervals
//   R.level        a finished level file; when source-N.done is there
//   source-N.done  what the pass found, with size and CRC-32 of its level files, which were synced
//   R.weights      the weights of a level; when they were computed
//   owner          who works here (lease.hpp)
// Every file but the levels and chunks is sealed (durable_file.hpp). Level files are never changed:
// weights join copies of them. So each step is done or not, whatever the moment of a kill; what is
// damaged is done again, and said; and the bytes of the output follow from the job text.
// Nothing in the folder holds a path, so folder and inputs may be moved or copied.
// Thread rules: one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/lease.hpp"
#include "engine/pass.hpp"
#include "engine/plan.hpp"

namespace ziggurat::engine {

// What a level file must still be.
struct FileSeal {
  std::uint64_t size = 0;
  std::uint64_t crc = 0;
};

class Checkpoint {
 public:
  // Makes the folder or goes on with what is in it. Throws Error: usage when the folder is of
  // another job (saying the difference) or holds other files, busy when another run uses it,
  // format when the job's own description is damaged, io, input, cancelled.
  Checkpoint(const BuildPlan& plan, Observer& observer);

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] const std::string& folder() const { return folder_; }

  [[nodiscard]] PassKeeper& keeper(std::size_t source) { return *keepers_[source]; }
  // The outcome of a pass that is done, once its level files are proven. `levels`: names of the
  // level files, the base first if it is one.
  [[nodiscard]] std::optional<PassOutcome> finished_pass(std::size_t source,
                                                         const std::vector<std::string>& levels);
  void keep_pass(std::size_t source, const std::vector<std::string>& levels,
                 const PassOutcome& outcome);
  // A copy of the file of a level that is done, proven to be one. Throws Error{io}.
  void copy_level(const std::string& name, const std::string& to) const;

  [[nodiscard]] std::optional<BalanceOutcome> weights(std::int64_t resolution);
  void keep_weights(std::int64_t resolution, const BalanceOutcome& outcome);

  // The output is in place: the folder is removed.
  void remove();

 private:
  void remove_stray_files();
  [[nodiscard]] std::vector<std::uint32_t> source_crcs(const BuildPlan& plan);
  void begin_or_compare(const std::string& job);
  void say_damage(const Error& error);
  [[nodiscard]] bool is_sealed(const std::string& path, const FileSeal& seal) const;

  std::string folder_;
  Observer& observer_;
  std::map<std::string, FileSeal> seals_;  // of the level files that are done
  std::optional<Lease> lease_;
  std::vector<std::unique_ptr<PassKeeper>> keepers_;
};

}  // namespace ziggurat::engine
