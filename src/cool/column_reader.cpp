#include "cool/column_reader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.hpp"
#include "base/meter.hpp"
#include "codec/shuffle.hpp"
#include "h5/types.hpp"
#include "pixels/decode.hpp"

namespace ziggurat::cool {

namespace {

constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{1} << 28;

}  // namespace

ColumnReader::ColumnReader(h5::Column column, std::uint64_t n_pixels)
    : column_(std::move(column)), n_pixels_(n_pixels), element_size_(h5::size_of(column_.type)) {
  h5::check_plausible(column_, n_pixels_);
  const h5::Storage& storage = column_.storage;
  direct_ = storage.chunk_length > 0 && column_.little_endian && column_.number.has_value() &&
            storage.zero_fill && !h5::is_enumeration(column_.type) &&
            storage.chunk_length <= kMaxChunkBytes / element_size_;
  for (std::size_t i = 0; i < storage.filters.size(); ++i) {
    if (storage.filters[i].id == h5::kShuffleFilter && shuffle_at_ < 0 && deflate_at_ < 0) {
      shuffle_at_ = static_cast<int>(i);
    } else if (storage.filters[i].id == h5::kDeflateFilter && deflate_at_ < 0) {
      deflate_at_ = static_cast<int>(i);
    } else {
      direct_ = false;
    }
  }
}

bool ColumnReader::fetch(std::uint64_t index) {
  if (!h5::read_stored_chunk(column_, index, stored_, stored_mask_)) return false;
  count({.items = 1, .bytes_in = stored_.size()});
  if (observer_) observer_({index, stored_mask_, stored_});
  return true;
}

void ColumnReader::pass_chunks(std::uint64_t first, std::uint64_t end) {
  const std::uint64_t length = column_.storage.chunk_length;
  for (std::uint64_t index = (first + length - 1) / length; index * length < end; ++index) {
    loaded_ = ~std::uint64_t{0};
    if (fetch(index)) decode_fetched(index);
  }
}

// Bit i of the mask says that filter i was skipped for this chunk.
void ColumnReader::inflate_fetched() {
  const auto applied = [&](int position) {
    return position >= 0 && (stored_mask_ >> static_cast<unsigned>(position) & 1U) == 0;
  };
  elements_.resize(column_.storage.chunk_length * element_size_);
  count({.bytes_out = elements_.size()});
  if (applied(deflate_at_)) {
    inflater_.inflate(stored_, elements_);
  } else if (stored_.size() == elements_.size()) {
    std::copy(stored_.begin(), stored_.end(), elements_.begin());
  } else {
    fail(ErrorCode::format, "stored chunk has {} bytes where {} belong", stored_.size(),
         elements_.size());
  }
  loaded_shuffled_ = applied(shuffle_at_);
}

void ColumnReader::decode_fetched(std::uint64_t index) {
  try {
    inflate_fetched();
  } catch (const Error& error) {
    fail(ErrorCode::format, "{}: pixels {} to {}: {}", column_.label,
         index * column_.storage.chunk_length,
         std::min(n_pixels_, (index + 1) * column_.storage.chunk_length) - 1, error.what());
  }
}

void ColumnReader::load_chunk(std::uint64_t index) {
  if (loaded_ == index) return;
  loaded_ = ~std::uint64_t{0};
  if (!fetch(index)) {
    fail(ErrorCode::format, "{}: pixels from {} on were never stored", column_.label,
         index * column_.storage.chunk_length);
  }
  decode_fetched(index);
  loaded_ = index;
}

namespace {

// Part [from, from + n) of a decoded chunk as bytes in element order.
std::span<const std::byte> plain_part(std::span<const std::byte> elements, std::size_t from,
                                      std::size_t n, std::size_t element_size) {
  return elements.subspan(from * element_size, n * element_size);
}

}  // namespace

template <typename Visit>
void ColumnReader::for_each_part(std::uint64_t first, std::size_t n, Visit visit) {
  const std::uint64_t length = column_.storage.chunk_length;
  for (std::size_t done = 0; done < n;) {
    const std::uint64_t at = first + done;
    load_chunk(at / length);
    const auto from = static_cast<std::size_t>(at % length);
    const std::size_t part = std::min<std::size_t>(n - done, length - from);
    visit(from, part, done);
    done += part;
  }
}

void ColumnReader::read_ids(std::uint64_t first, std::span<std::uint32_t> out) {
  if (!direct_ || element_size_ < 4) {
    pixels::Column wide = std::vector<std::int64_t>{};
    read_values_slowly(first, out.size(), wide);
    const auto& ids = std::get<std::vector<std::int64_t>>(wide);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < 0 || ids[i] > std::numeric_limits<std::uint32_t>::max()) {
        fail(ErrorCode::format, "{}: pixel {} has bin id {}, which is out of range", column_.label,
             first + i, ids[i]);
      }
      out[i] = static_cast<std::uint32_t>(ids[i]);
    }
    return;
  }
  const std::size_t length = column_.storage.chunk_length;
  std::vector<std::uint32_t> whole;
  for_each_part(first, out.size(), [&](std::size_t from, std::size_t n, std::size_t at) {
    const bool all = from == 0 && n == length;
    if (!all) whole.resize(length);
    const std::span<std::uint32_t> target = all ? out.subspan(at, n) : std::span(whole);
    bool in_range = true;
    if (loaded_shuffled_) {
      in_range = codec::unshuffle_to_u32(elements_, element_size_, target);
    } else if (element_size_ == 8) {
      in_range = codec::narrow_to_u32(elements_, target);
    } else {
      std::memcpy(target.data(), elements_.data(), elements_.size());
    }
    if (!all)
      std::copy_n(whole.begin() + static_cast<std::ptrdiff_t>(from), n,
                  out.begin() + static_cast<std::ptrdiff_t>(at));
    // Rows past the end of the map may hold anything, so a bad chunk is looked at element by
    // element.
    if (!in_range) refuse_id(first + at, n);
  });
  if (*column_.number == NumberType::i32) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (static_cast<std::int32_t>(out[i]) < 0) refuse_id(first + i, 1);
    }
  }
}

void ColumnReader::refuse_id(std::uint64_t first, std::size_t n) {
  std::vector<std::int64_t> ids(n);
  h5::read_numbers(column_, first, n, ids.data());
  for (std::size_t i = 0; i < n; ++i) {
    if (ids[i] < 0 || ids[i] > std::numeric_limits<std::uint32_t>::max()) {
      fail(ErrorCode::format, "{}: pixel {} has bin id {}, which is out of range", column_.label,
           first + i, ids[i]);
    }
  }
  fail(ErrorCode::format, "{}: a chunk near pixel {} holds ids out of range", column_.label, first);
}

bool ColumnReader::is_int32() const { return direct_ && column_.number == NumberType::i32; }

void ColumnReader::read_int32(std::uint64_t first, std::span<std::int32_t> out) {
  const std::size_t length = column_.storage.chunk_length;
  std::vector<std::uint32_t> whole;
  for_each_part(first, out.size(), [&](std::size_t from, std::size_t n, std::size_t at) {
    std::int32_t* target = out.data() + at;
    if (!loaded_shuffled_) {
      std::memcpy(target, elements_.data() + from * sizeof(std::int32_t), n * sizeof(std::int32_t));
      return;
    }
    if (from == 0 && n == length) {
      // Planes 0 to 3 are all there is, so nothing can be out of range.
      static_cast<void>(
          codec::unshuffle_to_u32(elements_, 4, {reinterpret_cast<std::uint32_t*>(target), n}));
      return;
    }
    whole.resize(length);
    static_cast<void>(codec::unshuffle_to_u32(elements_, 4, whole));
    std::memcpy(target, whole.data() + from, n * sizeof(std::int32_t));
  });
}

void ColumnReader::read_values(std::uint64_t first, std::size_t n, pixels::Column& out) {
  if (!direct_) {
    read_values_slowly(first, n, out);
    return;
  }
  for_each_part(first, n, [&](std::size_t from, std::size_t part, std::size_t at) {
    if (loaded_shuffled_) {
      scratch_.resize(elements_.size());
      codec::unshuffle(elements_, scratch_, element_size_);
      std::swap(elements_, scratch_);
      loaded_shuffled_ = false;
    }
    try {
      pixels::decode_values(plain_part(elements_, from, part, element_size_), *column_.number, out);
    } catch (const Error& error) {
      fail(error.code(), "{}: pixels from {}: {}", column_.label, first + at, error.what());
    }
  });
}

namespace {

// Reads with conversion by HDF5 to Native and appends.
template <typename Native>
void append_converted(const h5::Column& column, std::uint64_t first, std::size_t n,
                      std::vector<Native>& out) {
  const std::size_t before = out.size();
  out.resize(before + n);
  h5::read_numbers(column, first, n, out.data() + before);
}

}  // namespace

void ColumnReader::read_values_slowly(std::uint64_t first, std::size_t n, pixels::Column& out) {
  const NumberType type = *column_.number;
  if (type == NumberType::f64) {
    append_converted(column_, first, n, std::get<std::vector<double>>(out));
  } else if (is_float(type)) {
    append_converted(column_, first, n, std::get<std::vector<float>>(out));
  } else if (h5::is_enumeration(column_.type)) {
    std::vector<std::byte> raw(n * element_size_);
    h5::read_raw(column_, first, n, raw.data());
    pixels::decode_values(raw, type, out);
  } else if (type == NumberType::u64) {
    std::vector<std::uint64_t> raw;
    append_converted(column_, first, n, raw);
    pixels::decode_values(std::as_bytes(std::span(raw)), NumberType::u64, out);
  } else {
    append_converted(column_, first, n, std::get<std::vector<std::int64_t>>(out));
  }
}

}  // namespace ziggurat::cool
