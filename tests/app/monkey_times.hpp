// tests/app: how long the interface's thread worked on each frame of the monkey, by what it worked on. Only
// told: a bound would fail on a slow machine. Of the release build; a sanitizer's times say nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/shell/app.hpp"

namespace attnscope::test {

inline bool times_asked_for() {
  const char* request = std::getenv("ATTNSCOPE_MONKEY_TIMES");
  return request != nullptr && std::string_view(request) == "1";
}

class MonkeyTimes {
 public:
  void add(const App::FrameSeconds& seconds) { all_.push_back(seconds); }
  std::size_t frames() const { return all_.size(); }

  /// The frames since the last call came of this event.
  void end_event(const std::string& event) {
    for (; told_ < all_.size(); ++told_) {
      for (std::size_t part = 0; part < parts.size(); ++part)
        if (const double now = parts[part].of(all_[told_]); now > largest_[part].seconds)
          largest_[part] = {now, event};
      const double beside = all_[told_].beside_drawing();
      if (beside <= most_beside) continue;
      ++over_;
      Over& over = over_by_[event];
      over.seconds = std::max(over.seconds, beside);
      ++over.frames;
    }
  }

  /// Milliseconds. Behind the table the events after which most was done beside drawing.
  std::string report() const {
    std::string text = fmt::format("{:<16}{:>10}{:>10}{:>10}  after, of {} frames\n", "milliseconds",
                                   "median", "99 %", "largest", all_.size());
    for (std::size_t part = 0; part < parts.size(); ++part)
      text += fmt::format("{:<16}{:>10.2f}{:>10.2f}{:>10.2f}  {}\n", parts[part].name, 1e3 * at(part, 0.5),
                          1e3 * at(part, 0.99), 1e3 * largest_[part].seconds, largest_[part].event);
    text += fmt::format("over {:.0f} ms beside drawing: {} of {} frames\n", 1e3 * most_beside, over_,
                        all_.size());
    std::vector<std::pair<std::string, Over>> worst(over_by_.begin(), over_by_.end());
    std::ranges::sort(worst,
                      [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
    for (std::size_t i = 0; i < std::min<std::size_t>(worst.size(), 12); ++i)
      text += fmt::format("{:>10.2f}  after {} ({})\n", 1e3 * worst[i].second.seconds, worst[i].first,
                          worst[i].second.frames);
    return text;
  }

 private:
  static constexpr double most_beside = 0.002;  // seconds: what the interface's thread may do beside drawing
  struct Part {
    std::string_view name;
    double (*of)(const App::FrameSeconds&);
  };
  static constexpr std::array parts{
      Part{"beside drawing", [](const App::FrameSeconds& s) { return s.beside_drawing(); }},
      Part{"  before", [](const App::FrameSeconds& s) { return s.before; }},
      Part{"  behind", [](const App::FrameSeconds& s) { return s.behind; }},
      Part{"drawing", [](const App::FrameSeconds& s) { return s.drawing; }}};
  struct Largest {
    double seconds = 0;
    std::string event;
  };
  struct Over {
    double seconds = 0;  // the largest
    int frames = 0;
  };

  /// The seconds that this share of the frames stays below.
  double at(std::size_t part, double share) const {
    if (all_.empty()) return 0;
    std::vector<double> sorted;
    for (const App::FrameSeconds& frame : all_) sorted.push_back(parts[part].of(frame));
    std::ranges::sort(sorted);
    return sorted[std::min(sorted.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
  }

  std::vector<App::FrameSeconds> all_;
  std::size_t told_ = 0;  // of all_
  std::size_t over_ = 0;
  std::array<Largest, parts.size()> largest_;
  std::map<std::string, Over> over_by_;
};

}  // namespace attnscope::test
