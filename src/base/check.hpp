// Failing with a formatted message, checked narrowing, and assertions on our own invariants.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "ziggurat/error.hpp"

namespace ziggurat {

// Throws Error{code} whose text is formatted as fmt::format does.
template <typename... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(code, fmt::format(text, std::forward<Args>(args)...));
}

// value as To; throws Error{internal} when To cannot hold it. For our own numbers, not for input.
template <typename To, typename From>
[[nodiscard]] To narrow(From value) {
  if (!std::in_range<To>(value)) fail(ErrorCode::internal, "number out of range: {}", value);
  return static_cast<To>(value);
}

}  // namespace ziggurat

// For mistakes of ours only, never for input. Compiled in by ZIGGURAT_ASSERTS.
#ifdef ZIGGURAT_ASSERTS
#define ZIGGURAT_ASSERT(condition) ((condition) ? void(0) : std::abort())
#else
#define ZIGGURAT_ASSERT(condition) void(0)
#endif
