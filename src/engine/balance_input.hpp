// The pixels of one map, from its file into the compact store that balancing iterates on.
// Thread rules: one thread, which must outlive the call (it owns reader processes).
#pragma once

#include <memory>
#include <string>

#include "balance/pixel_store.hpp"
#include "cool/description.hpp"
#include "genome/uri.hpp"
#include "reader/protocol.hpp"
#include "ziggurat/build.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat::engine {

// Where the pixels are, and how they are to be read.
struct PixelSource {
  genome::Uri uri;
  const cool::Description* description = nullptr;  // with the one field `count`
  std::string label;                               // for progress and notes
  reader::DuplicatePolicy duplicates = reader::DuplicatePolicy::refuse;
  reader::NanPolicy nan = reader::NanPolicy::refuse;
  Settings settings;              // decided
  std::int64_t memory_limit = 0;  // bytes of the store; 0: half of what is granted
  std::string scratch_folder;     // for what is over the limit
};

struct LoadedPixels {
  std::unique_ptr<balance::Arena> arena;  // what the store lies in
  std::unique_ptr<balance::PixelStore> store;
};

// Reads a map wholly, proving every pixel on the way as coarsening does. Throws Error: format for a
// pixel at fault, worker, io, cancelled.
[[nodiscard]] LoadedPixels load_pixels(const PixelSource& source,
                                       const balance::StoreLayout& layout, Observer& observer);

}  // namespace ziggurat::engine
