#include "proc/system_error.hpp"

#include <system_error>

#include "base/check.hpp"

namespace ziggurat::proc {

void fail_errno(ErrorCode code, const std::string& what, int error_number) {
  fail(code, "{}: {}", what, std::generic_category().message(error_number));
}

}  // namespace ziggurat::proc
