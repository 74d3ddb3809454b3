// app/cli/over_texts: the progress of a command, on stderr, once it takes long.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "core/base/worker.hpp"

namespace attnscope {

/// Prints "atlas: 40 %" once a second, from the first second on, over the line before; until its destructor.
class ProgressLine {
 public:
  /// For a progress that another thread counts: `done` of `total`, which is 0 while unknown.
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
