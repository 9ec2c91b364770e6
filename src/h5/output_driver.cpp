// The driver's callbacks: HDF5's virtual file layer on one side, OutputState on the other.
//
// HDF5 owns an OutputFile between open and close; the OutputFile shares the OutputState with the
// caller. Addresses and sizes arrive unsigned and may be nonsense when a damaged file is opened for
// change, so they are checked here once; past this file everything is std::int64_t. Callbacks are
// called from C and let no exception out.
//
// Two sizes are told apart, as in all HDF5 drivers: the end of allocation (what the library has
// handed out) and the end of file (what was written). A failed write moves both as if it had
// worked.
//
// Chunks of a few hundred bytes would cost a system call each. So raw data that follows on what was
// written before is kept back and written as one piece, before anything else happens to the file:
// what reaches the disk does so in the order of HDF5's calls.
#include "h5/output_driver.hpp"

#include <H5FDpublic.h>
#include <fcntl.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <vector>

namespace ziggurat::h5 {
namespace {

constexpr haddr_t kMaxAddress = std::numeric_limits<std::int64_t>::max();

// Metadata is allocated in blocks of this size, so that the nodes of chunk indexes lie together and
// not each between two chunks. A level of 12 chunks costs 4 KiB over HDF5's own 2 KiB blocks (64
// KiB blocks would cost 53), one of 6000 chunks 0.2 %.
constexpr hsize_t kMetadataBlockBytes = 16 * 1024;

constexpr std::size_t kPieceBytes = 256 * 1024;

struct OutputFile : H5FD_t {
  explicit OutputFile(std::shared_ptr<OutputState> shared) : H5FD_t(), state(std::move(shared)) {
    kept_back.reserve(kPieceBytes);
  }

  [[nodiscard]] haddr_t end_of_piece() const { return piece_at + kept_back.size(); }

  std::shared_ptr<OutputState> state;
  haddr_t end_of_allocation = 0;
  std::vector<std::byte> kept_back;  // never beyond its capacity
  haddr_t piece_at = 0;              // where it goes
};

using SharedState = std::shared_ptr<OutputState>;

OutputFile& as_output(H5FD_t* file) { return *static_cast<OutputFile*>(file); }
const OutputFile& as_output(const H5FD_t* file) { return *static_cast<const OutputFile*>(file); }

// For what is the same with and without bytes kept back.
OutputState& state_of(const H5FD_t* file) { return *as_output(file).state; }

// The state with everything in it that was written so far.
OutputState& settled(H5FD_t* file) {
  OutputFile& output = as_output(file);
  if (!output.kept_back.empty()) {
    output.state->write(OutputState::Content::raw, static_cast<std::int64_t>(output.piece_at),
                        output.kept_back);
    output.kept_back.clear();
  }
  return *output.state;
}

void keep_back(OutputFile& output, haddr_t address, std::span<const std::byte> bytes) {
  if (address != output.end_of_piece() || output.kept_back.size() + bytes.size() > kPieceBytes) {
    settled(&output);
  }
  if (output.kept_back.empty()) output.piece_at = address;
  output.kept_back.insert(output.kept_back.end(), bytes.begin(), bytes.end());
}

bool in_range(haddr_t address, std::size_t bytes) {
  return address <= kMaxAddress && bytes <= kMaxAddress - address;
}

void* copy_info(const void* info) {
  return new (std::nothrow) SharedState(*static_cast<const SharedState*>(info));
}

herr_t free_info(void* info) {
  delete static_cast<SharedState*>(info);
  return 0;
}

void* info_of_file(H5FD_t* file) { return copy_info(&as_output(file).state); }

int open_flags(unsigned flags) {
  int result = (flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY;
  if ((flags & H5F_ACC_TRUNC) != 0) result |= O_TRUNC;
  if ((flags & H5F_ACC_CREAT) != 0) result |= O_CREAT;
  if ((flags & H5F_ACC_EXCL) != 0) result |= O_EXCL;
  return result;
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t) {
  const void* info = H5Pget_driver_info(access);
  if (name == nullptr || info == nullptr) return nullptr;
  try {
    auto file = std::make_unique<OutputFile>(*static_cast<const SharedState*>(info));
    return file->state->open(name, open_flags(flags)) ? file.release() : nullptr;
  } catch (const std::exception&) {
    return nullptr;
  }
}

herr_t close_file(H5FD_t* file) {
  settled(file).close_in_library();
  delete &as_output(file);
  return 0;
}

int compare_files(const H5FD_t* left, const H5FD_t* right) {
  const FileStatus& a = state_of(left).status();
  const FileStatus& b = state_of(right).status();
  if (a.device != b.device) return a.device < b.device ? -1 : 1;
  if (a.inode != b.inode) return a.inode < b.inode ? -1 : 1;
  return 0;
}

herr_t query_features(const H5FD_t*, unsigned long* features) {
  // Small raw data is not gathered in blocks of its own, so that all chunks follow one another.
  *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
              H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t end_of_allocation(const H5FD_t* file, H5FD_mem_t) {
  return as_output(file).end_of_allocation;
}

herr_t set_end_of_allocation(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  if (!in_range(address, 0)) return -1;
  as_output(file).end_of_allocation = address;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) {
  const haddr_t written = static_cast<haddr_t>(state_of(file).size());
  const OutputFile& output = as_output(file);
  return output.kept_back.empty() ? written : std::max(written, output.end_of_piece());
}

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t bytes,
                  void* buffer) {
  if (!in_range(address, bytes)) return -1;
  const std::span<std::byte> into(static_cast<std::byte*>(buffer), bytes);
  return settled(file).read(static_cast<std::int64_t>(address), into) ? 0 : -1;
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, std::size_t bytes,
                   const void* buffer) {
  if (!in_range(address, bytes)) return -1;
  const bool is_raw = type == H5FD_MEM_DRAW;
  const std::span<const std::byte> from(static_cast<const std::byte*>(buffer), bytes);
  if (is_raw && bytes <= kPieceBytes) {
    keep_back(as_output(file), address, from);
  } else {
    settled(file).write(is_raw ? OutputState::Content::raw : OutputState::Content::metadata,
                        static_cast<std::int64_t>(address), from);
  }
  return 0;
}

herr_t flush_file(H5FD_t* file, hid_t, hbool_t) {
  settled(file);
  return 0;
}

herr_t truncate_file(H5FD_t* file, hid_t, hbool_t) {
  const auto bytes = static_cast<std::int64_t>(as_output(file).end_of_allocation);
  OutputState& state = settled(file);
  if (state.size() != bytes) state.resize(bytes);
  return 0;
}

constexpr H5FD_class_t driver_class() {
  H5FD_class_t driver = {};
  driver.name = "ziggurat";
  driver.maxaddr = kMaxAddress;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_get = info_of_file;
  driver.fapl_copy = copy_info;
  driver.fapl_free = free_info;
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare_files;
  driver.query = query_features;
  driver.get_eoa = end_of_allocation;
  driver.set_eoa = set_end_of_allocation;
  driver.get_eof = end_of_file;
  driver.read = read_bytes;
  driver.write = write_bytes;
  driver.flush = flush_file;
  driver.truncate = truncate_file;
  // Metadata and raw data are freed and reused apart from each other, as HDF5's own driver does.
  constexpr H5FD_mem_t kFreeLists[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  for (int type = 0; type < H5FD_MEM_NTYPES; ++type) driver.fl_map[type] = kFreeLists[type];
  return driver;
}

// Once a life of the library: a host that calls H5close takes the registration away.
hid_t registered_driver() {
  static constexpr H5FD_class_t kDriver = driver_class();
  static hid_t id = H5I_INVALID_HID;
  if (H5Iget_type(id) != H5I_VFL) id = check(H5FDregister(&kDriver), "register", "file driver");
  return id;
}

}  // namespace

PropertyList make_output_access(const std::shared_ptr<OutputState>& state) {
  const std::string object = "file access list";
  const QuietErrors quiet;
  PropertyList access(check(H5Pcreate(H5P_FILE_ACCESS), "create", object, ErrorCode::internal));
  check(H5Pset_driver(access.id(), registered_driver(), &state), "set up", object,
        ErrorCode::internal);
  check(H5Pset_libver_bounds(access.id(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18), "set up", object,
        ErrorCode::internal);
  check(H5Pset_meta_block_size(access.id(), kMetadataBlockBytes), "set up", object,
        ErrorCode::internal);
  return access;
}

}  // namespace ziggurat::h5
