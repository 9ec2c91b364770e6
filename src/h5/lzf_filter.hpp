// Reading columns that h5py compressed with LZF.
#pragma once

namespace ziggurat::h5 {

// Makes HDF5's filter 32000 known, for reading only. Once in a process.
void register_lzf_filter();

}  // namespace ziggurat::h5
