// app/exports/html: a function that makes an HTML file of what was on screen, on any thread.
#pragma once

#include <functional>
#include <string>

#include "core/base/parallel.hpp"

namespace attnscope {

struct HtmlJob {
  /// Makes the file's bytes and reports its share of the work. Throws Error, and Cancelled.
  std::function<std::string(const Work&, const std::function<void(double)>& share)> make;
};

}  // namespace attnscope
