// app/pages/gallery: the kit's widgets in the window, for designers: `render --view gallery` and sessions
// show it, no key and no list offers it.
#pragma once

#include "app/shell/page.hpp"

namespace attnscope {

/// For the table of pages.
PageRow gallery_page();

}  // namespace attnscope
