// For tests of refusals.
#pragma once

#include <optional>

#include "ziggurat/error.hpp"

namespace ziggurat::test {

// The code of the Error that call throws; nothing when it throws none.
template <typename Call>
std::optional<ErrorCode> code_of(Call call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

}  // namespace ziggurat::test
