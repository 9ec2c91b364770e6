// The HDF5 file driver under every file that we open for writing.
//
// On top of plain file calls (see output_state.hpp): sticky failures, no locks whatever the
// environment says, descriptors that a child does not inherit, and the same bytes for the same
// calls.
//
// A process that writes should call H5dont_atexit() before its first HDF5 call. The driver makes
// HDF5's cleanup safe, but the cleanup of a host's other files is not ours to run at exit.
// Objects should be created with H5Pset_obj_track_times(list, false), else they hold the time.
#pragma once

#include <memory>

#include "h5/handle.hpp"
#include "h5/output_state.hpp"

namespace ziggurat::h5 {

// A file access list for one H5Fcreate or H5Fopen, whose file keeps its failures in state. Only
// format features that HDF5 1.8 can read are enabled. A state serves one file at a time; a second
// open while the first is still open fails.
// When H5Fcreate or H5Fopen itself fails, ask the state first: it knows the errno.
// Throws: Error{internal} when HDF5 refuses the driver.
[[nodiscard]] PropertyList make_output_access(const std::shared_ptr<OutputState>& state);

}  // namespace ziggurat::h5
