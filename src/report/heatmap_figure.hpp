// A picture of the map as SVG: the cells as an embedded PNG, axes and colour bar around it.
//
// Classes let a style sheet choose between raw and balanced values; what a script needs to tell the
// value under the pointer stands in data attributes.
// Thread rules: free functions of their arguments.
#pragma once

#include <string>

#include "report/palette.hpp"
#include "ziggurat/report.hpp"

namespace ziggurat::report {

// The colours of a colour bar, from low to high: defined once for all figures of a page, with this
// id.
[[nodiscard]] std::string gradient_definition(const Palette& palette, const std::string& id);

enum class FigureSize { genome, chromosome };

[[nodiscard]] std::string heatmap_figure(const MapPicture& picture, const Palette& palette,
                                         const std::string& gradient, const std::string& title,
                                         FigureSize size);

}  // namespace ziggurat::report
