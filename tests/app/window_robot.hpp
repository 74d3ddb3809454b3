// tests/app: the real program in a window on a virtual display, and waiting for its pictures.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "support/program_path.hpp"
#include "support/wait.hpp"
#include "tests/robot/child_process.hpp"
#include "tests/robot/virtual_display.hpp"

namespace attnscope::test {

/// Share of pixels that differ; 1 when the sizes do.
inline double difference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height || a.pixels.empty()) return 1;
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    count += (a.pixels[i] & 0xFFFFFF) != (b.pixels[i] & 0xFFFFFF);
  return static_cast<double>(count) / static_cast<double>(a.pixels.size());
}

/// The program from its start to its end, with a window. It is killed when it goes out of scope.
class WindowProgram {
 public:
  /// The milliseconds in the top bar are not the robot's.
  static constexpr double same = 0.005;

  /// Returns once its window shows something. The program's state is in `home`/attnscope.
  WindowProgram(VirtualDisplay& display, const std::filesystem::path& home,
                const std::vector<std::string>& arguments = {})
      : display_(display), program_(command(arguments), options(display, home)) {
    display_.move_pointer(1900, 1190);  // beside the window: nothing hovers
    REQUIRE(wait_until([this] {
      if (const auto found = display_.find("AttnScope")) window_ = *found;
      // No theme is black there.
      return !program_.running() || (window_ != 0 && (display_.pixel(window_, 4, 4) & 0xFFFFFF) != 0);
    }));
    REQUIRE(program_.running());
  }

  VirtualDisplay::Window window() const { return window_; }
  Image pixels() { return display_.pixels(window_); }
  std::string title() { return display_.title_of(window_); }

  /// Waits until the window shows this picture; false where it never does. All earlier events that the
  /// picture shows have arrived then.
  bool shows(const Image& expected, double most = same) {
    double share = 1;
    const auto look = [&] { return (share = difference(pixels(), expected)) < most; };
    if (wait_until(look, std::chrono::milliseconds(20))) return true;
    UNSCOPED_INFO(share << " of the pixels differ");
    return false;
  }
  /// Waits for a second in which the program uses less than a hundredth of a processor: no frame at all. It
  /// counts the program's own processor time, independent of other programs.
  bool rests() {
    constexpr int attempts = 30;
    constexpr std::chrono::seconds second{1};
    double used = 0;
    for (int i = 0; i < attempts; ++i) {
      const auto before = program_.processor_time();
      std::this_thread::sleep_for(second);
      used = (program_.processor_time() - before).count();
      if (used < 0.01) return true;
    }
    UNSCOPED_INFO(100 * used << " % of a processor");
    return false;
  }

  void click(int x, int y) { display_.click(window_, x, y); }
  /// The pointer leaves the window, and the tooltip with it.
  void leave() { display_.move_pointer(1900, 1190); }
  /// As the cross in a title bar does. Whether it ends and its window is gone.
  bool closes() {
    display_.close(window_);
    return program_.wait(patience) == 0 && wait_until([this] { return !display_.find("AttnScope"); });
  }

 private:
  static std::vector<std::string> command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program_path());
    return arguments;
  }
  static ChildProcess::Options options(const VirtualDisplay& display, const std::filesystem::path& home) {
    return {{"DISPLAY=" + display.name(), "LANGUAGE=en", "XDG_STATE_HOME=" + home.native()}, -1, false};
  }

  VirtualDisplay& display_;
  ChildProcess program_;
  VirtualDisplay::Window window_ = 0;
};

}  // namespace attnscope::test
