// Files by identity, names of outputs, and the final rename.
#pragma once

#include <cstdint>
#include <string>

namespace ziggurat::engine {

// Which file it is and whether it was changed: device, inode, size, time of change.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;

  [[nodiscard]] bool same_file(const FileIdentity& other) const {
    return device == other.device && inode == other.inode;
  }
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// Follows symbolic links. Throws Error{input} "cannot open FILE: reason".
[[nodiscard]] FileIdentity identify(const std::string& path);
// False only when there is no such file; Error{io} when that cannot be told.
[[nodiscard]] bool exists(const std::string& path);

// What a symbolic link stands for, whether that exists or not; any other path as it is. Links stay
// links: an output is put in the place they point at.
[[nodiscard]] std::string behind_link(const std::string& path);

// Throws Error{usage} when the path is a folder, a device or a pipe or names no file, Error{io}
// when its folder does not exist or may not be written to.
void check_output_path(const std::string& path);

// What is read must not be replaced, by whatever name the output goes. Throws Error{usage}.
void refuse_output_as_input(const std::string& output, const std::string& input);

[[nodiscard]] std::string folder_of(const std::string& path);
[[nodiscard]] std::string name_of(const std::string& path);

// X.cool -> X.mcool in the same folder; only the last suffix is replaced. Throws Error{usage} when
// there is no such suffix: then the output has to be named.
[[nodiscard]] std::string default_output(const std::string& source_file);

// Gives a complete, synced file its final name and makes that durable. Where it replaces a file it
// takes over its permissions, and its group if this user may give that; its owner is this user.
// Throws Error{io}.
void publish(const std::string& from, const std::string& to);

// A byte copy into a new file, with the permissions of the old one. Throws Error{io}.
void copy_file(const std::string& from, const std::string& to);

}  // namespace ziggurat::engine
