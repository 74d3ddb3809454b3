// app/cli/over_texts: how far a command is, on stderr, once it takes long.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/base/worker.hpp"

namespace attnscope {

/// "atlas: 40 %", written over itself each second from the first second on, until this goes.
class ProgressLine {
 public:
  /// Of a progress that another thread counts: `done` of `total`, which is 0 as long as it is not known.
  template <class Progress>
  ProgressLine(std::string name, const Progress& progress)
      : ProgressLine(Percent([&progress]() -> std::optional<int> {
                       const std::int64_t total = progress.total;
                       if (total == 0) return std::nullopt;
                       return static_cast<int>(100 * progress.done / total);
                     }),
                     std::move(name)) {}

 private:
  using Percent = std::function<std::optional<int>()>;  // called from a thread of its own
  ProgressLine(Percent percent, std::string name);

  Worker worker_;
};

}  // namespace attnscope
