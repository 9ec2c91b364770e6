// Sound inputs of each target. Texts are those of the documentation; binary ones are made by the
// encoders, so they follow the formats as these change.
#pragma once

#include <initializer_list>
#include <string_view>

#include "targets.hpp"

namespace ziggurat::fuzz {

[[nodiscard]] Bytes bytes_of(std::string_view text);
[[nodiscard]] std::vector<Bytes> texts(std::initializer_list<std::string_view> seeds);

// Message kinds of `messages`: the first byte of an input is an index into this list.
enum class Message : unsigned char {
  describe_request,
  description,
  job,
  block,
  stored,
  fault,
  texts,
  attribute_texts,
  outline_request,
  outline,
  open_request,
  opened,
  column_request,
  plain_column,
  look_up,
  end
};

[[nodiscard]] std::vector<Bytes> message_seeds();
[[nodiscard]] std::vector<Bytes> frame_seeds();
[[nodiscard]] std::vector<Bytes> journal_seeds();
[[nodiscard]] std::vector<Bytes> gzip_seeds();
[[nodiscard]] std::vector<Bytes> zlib_seeds();
[[nodiscard]] std::vector<Bytes> element_seeds();

}  // namespace ziggurat::fuzz
