// The page's template, style and script: the files in src/report/page/, put in by the build.
#pragma once

#include <string_view>

namespace ziggurat::report {

extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;
extern const std::string_view kPageJs;

}  // namespace ziggurat::report
