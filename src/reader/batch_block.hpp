// A batch of pixels as a block: for the slots of a reader, and for writers in the same process.
// Thread rules: free functions of their arguments.
#pragma once

#include <vector>

#include "coarsen/pixel_batch.hpp"
#include "reader/protocol.hpp"

namespace ziggurat::reader {

// How the values of a batch are laid out.
[[nodiscard]] std::vector<ValueForm> forms_of(const coarsen::PixelBatch& batch);

// The batch as the block of a level 0, without copying: the view holds as long as the batch.
[[nodiscard]] Block block_of(const coarsen::PixelBatch& batch);
[[nodiscard]] BlockView view_of(const coarsen::PixelBatch& batch);

}  // namespace ziggurat::reader
