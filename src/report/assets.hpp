// The page's template, style and script: the files in src/report/page/, put in by the build.
#pragma once

#include <string_view>

namespace ziggurat::report {

extern const std::string_view page_html;
extern const std::string_view page_css;
extern const std::string_view page_js;

}  // namespace ziggurat::report
