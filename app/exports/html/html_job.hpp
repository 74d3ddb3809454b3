// app/exports/html: an HTML file that is still to be made: on any thread, of what was on screen.
#pragma once

#include <functional>
#include <string>

#include "core/base/parallel.hpp"

namespace attnscope {

struct HtmlJob {
  /// The file's bytes. Tells its share of the work. Throws Error, and Cancelled.
  std::function<std::string(const Work&, const std::function<void(double)>& share)> make;
};

}  // namespace attnscope
