// Whether threads are to be had.
#pragma once

namespace ziggurat {

// Starts n threads at once and lets them end. oneTBB starts its workers one from another and when
// it needs them, and ends the program where the system refuses one; asked beforehand, the refusal
// is an error like others. Cost: some 20 microseconds a thread.
// Throws: Error{io} when fewer than n can be started.
void require_threads(int n);

}  // namespace ziggurat
