// Which executable the readers are started from.
//
// The command-line program is its own reader. A library cannot be one: the program that loaded it
// is somebody else's, so the library looks for the installed ziggurat. Both are of one version, or
// the reader refuses to serve.
#pragma once

#include <string>

namespace ziggurat::proc {

// Said by main(), once, before any thread starts: this program serves as a reader when told so.
void this_program_reads() noexcept;

// `requested` when it is not empty; else this program when it reads; else the one named by the
// environment variable ZIGGURAT_READER; else the one installed with the library, sought from where
// the library lies and then where it was to be installed. Throws Error{input} naming the places
// that were looked at. Thread rules: any thread.
[[nodiscard]] std::string reader_program(const std::string& requested);

}  // namespace ziggurat::proc
