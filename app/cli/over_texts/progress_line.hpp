// app/cli/over_texts: how far a command is, on stderr, once it takes long.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/worker.hpp"

namespace attnscope {

/// "atlas: 40 %", written over itself each second from the first second on, until this goes.
class ProgressLine {
 public:
  /// `percent` is called from another thread; nothing: it is not known yet.
  ProgressLine(std::string name, std::function<std::optional<int>()> percent);

 private:
  Worker worker_;
};

}  // namespace attnscope
