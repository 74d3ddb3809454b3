// app/window: all layers of a dump on one HTML page.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/exports/html/page_data.hpp"
#include "app/window/app_without_window.hpp"
#include "core/files/document/open.hpp"

namespace attnscope {

/// Layers × heads of the file whose layer `chosen` (empty: the first) is on screen, all computed with that
/// layer's settings. Throws Error if a layer cannot be computed, or if there are too many weights, see
/// most_html_cells.
HtmlPage html_of_layers(AppWithoutWindow&, const std::filesystem::path& file,
                        const std::vector<LayerEntry>& layers, const std::string& chosen);

}  // namespace attnscope
