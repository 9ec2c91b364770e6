// The command line program.
#pragma once

namespace ziggurat::cli {

// Exit codes: 0 done; 1 it failed, or a verification found faults; 2 the command line makes no
// sense; 75 something is in use and trying again later may help. Ended by signal N: the program
// ends by that signal, which shells show as 128 + N.
int run(int argc, const char* const* argv);

}  // namespace ziggurat::cli
