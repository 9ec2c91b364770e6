// h5py stores a chunk as the bytes of lzf_compress() and records the chunk's own size as the third
// parameter; a chunk that does not shrink is stored with the filter masked out, which HDF5 sees to.
#include "h5/lzf_filter.hpp"

#include <hdf5.h>
#include <liblzf/lzf.h>

#include <cstdlib>

namespace ziggurat::h5 {

namespace {

constexpr H5Z_filter_t kLzfFilter = 32000;
constexpr std::size_t kSizeParameter = 2;
// A chunk cannot claim more than HDF5 itself allows.
constexpr std::size_t kMostBytes = std::size_t{1} << 32;

// HDF5 hands over a buffer from malloc and takes back another; 0 means failure.
std::size_t inflate_lzf(unsigned flags, std::size_t n_parameters, const unsigned parameters[],
                        std::size_t n_bytes, std::size_t* buffer_size, void** buffer) {
  if ((flags & H5Z_FLAG_REVERSE) == 0 || n_parameters <= kSizeParameter) return 0;
  const std::size_t size = parameters[kSizeParameter];
  if (size == 0 || size > kMostBytes) return 0;
  void* out = std::malloc(size);
  if (out == nullptr) return 0;
  const unsigned done =
      lzf_decompress(*buffer, static_cast<unsigned>(n_bytes), out, static_cast<unsigned>(size));
  if (done != size) {
    std::free(out);
    return 0;
  }
  std::free(*buffer);
  *buffer = out;
  *buffer_size = size;
  return size;
}

}  // namespace

void register_lzf_filter() {
  static const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, kLzfFilter, 0,          1, "lzf",
                                      nullptr,          nullptr,    inflate_lzf};
  H5Zregister(&filter);
}

}  // namespace ziggurat::h5
