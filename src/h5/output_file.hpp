// A file of ours that is being written: HDF5's handle and the driver state under it.
//
// Failures are kept by the state and become one Error at check() or finish(); until then HDF5 goes
// on as if all were well. Without finish() the file is closed and stays as it is: whoever made it
// removes it.
// Thread rules: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "h5/output_driver.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::h5 {

enum class Sync { none, disk };

class OutputFile {
 public:
  // Error{io} when the file exists or cannot be made.
  [[nodiscard]] static OutputFile create(const std::string& path);
  // An existing HDF5 file, to be changed in place.
  [[nodiscard]] static OutputFile open(const std::string& path);
  // The same, known to hold this.
  [[nodiscard]] static OutputFile open(const std::string& path, std::optional<BlockSums> content);
  // The same for a small change within an edit that owns the state (see journal.hpp): dropped
  // instead of finished, and with little room taken for metadata.
  [[nodiscard]] static OutputFile open(const std::string& path, std::shared_ptr<OutputState> state);

  [[nodiscard]] hid_t id() const { return file_.id(); }
  [[nodiscard]] std::int64_t bytes_written() const { return state_->bytes_written(); }
  // Throws Error{io} when something could not be written.
  void check() const { state_->throw_if_failed(); }
  // Closes. With Sync::disk it returns once everything is on stable storage and was read back as it
  // was written. No handle of anything in the file may be open. Returns what the file holds, for
  // those who read it later. `between` is called between steps of the reading, and may throw.
  // Throws Error{io}.
  std::optional<BlockSums> finish(
      Sync sync, const std::function<void()>& between = [] {});

 private:
  OutputFile(std::string path, std::shared_ptr<OutputState> state)
      : path_(std::move(path)), state_(std::move(state)) {}
  [[nodiscard]] OutputFile opened(const PropertyList& access) &&;
  void require_open(const char* what) const;

  std::string path_;
  std::shared_ptr<OutputState> state_;
  File file_;
};

// A finished file of ours, opened for reading through the same driver: no lock is taken, whatever
// the environment says, and the environment is left alone. What is read is compared with what was
// written.
class PrivateFile {
 public:
  // Throws Error{io} when it cannot be opened.
  PrivateFile(const std::string& path, std::optional<BlockSums> content);
  [[nodiscard]] hid_t id() const { return file_.id(); }
  // Throws Error{io} when something could not be read, or was not what was written. HDF5's own
  // error does not tell.
  void check() const { state_->throw_if_failed(); }

 private:
  std::shared_ptr<OutputState> state_;
  File file_;
};

// Does some work on an OutputFile or PrivateFile and checks it. When the work fails, what the disk
// said is thrown in the place of what HDF5 made of it.
template <typename OurFile, typename Work>
void check_work(const OurFile& file, Work work) {
  try {
    work();
  } catch (const Error&) {
    file.check();
    throw;
  }
  file.check();
}

}  // namespace ziggurat::h5
