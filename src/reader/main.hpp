// The reader process: a program started by exec, which opens the source and answers on its channel.
#pragma once

#include <string>
#include <vector>

namespace ziggurat::reader {

// argv word that makes the executable a reader.
inline constexpr const char* kReaderOption = "--ziggurat-reader";
// After it: a reader that serves look-ups. It may outlive the thread that started it, so the kernel
// is not asked to end it with that; it ends when its channel does, on which it always waits.
inline constexpr const char* kServeOption = "--serve";

// What a reader is started with: that word and the version of the one who starts it.
[[nodiscard]] std::vector<std::string> reader_arguments();

// The whole life of a reader. Returns its exit code; faults are told to the writer, not printed.
int run(int argc, const char* const* argv);

}  // namespace ziggurat::reader
