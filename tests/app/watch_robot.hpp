// tests/app: a watched process, and a robot with the Watch page.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "app/state/watch/watch_state.hpp"
#include "app/watch/shown_watch.hpp"
#include "robot/layout.hpp"
#include "robot/robot.hpp"
#include "support/temporary_directory.hpp"
#include "support/watched_model.hpp"

namespace attnscope::test {

/// The folder of streams, for this process alone.
struct WatchFolder {
  WatchFolder() { ::setenv("ATTNSCOPE_WATCH_FOLDER", directory.path().c_str(), 1); }
  ~WatchFolder() { ::unsetenv("ATTNSCOPE_WATCH_FOLDER"); }
  WatchFolder(const WatchFolder&) = delete;
  WatchFolder& operator=(const WatchFolder&) = delete;
  TemporaryDirectory directory;
};

/// Another process, which does nothing until it is killed.
class OtherProcess {
 public:
  OtherProcess() : pid_(::fork()) {
    if (pid_ != 0) return;
    ::alarm(300);  // also if this one was killed
    for (;;) ::pause();
  }
  ~OtherProcess() { end(); }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  std::uint64_t pid() const { return static_cast<std::uint64_t>(pid_); }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_;
};

/// A model of some layers that reads `prompt` tokens and then one after the other.
struct WatchedProcess {
  explicit WatchedProcess(const WatchFolder& folder, int number = 0, int layers = 3, int heads = 4,
                          int kv_heads = 2, std::int64_t most_tokens = 64)
      : model(7 + static_cast<std::uint64_t>(number), 1, most_tokens, layers_of(layers, heads, kv_heads)),
        writer(folder.directory.path() /
                   ("watch-" + std::to_string(::getpid()) + "-" + std::to_string(number) + ".attnwatch"),
               std::uint64_t{4} << 20,
               {{"module", "LlamaForCausalLM"},
                {"dtype", "float32"},
                {"device", "cpu"},
                {"attention", "sdpa"},
                {"layers", layers},
                {"heads", heads},
                {"kv_heads", kv_heads},
                {"d_k", 8}}) {}

  void pass(std::int64_t rows) {
    for (const WatchRecordBytes& record :
         model.records({.number = number, .first = tokens, .rows = rows, .next_id = 5}))
      writer.write(record);
    tokens += rows;
    ++number;
  }
  /// A whole text: what it is given, and what it writes.
  void generate(std::int64_t prompt, int passes) {
    pass(prompt);
    for (int i = 0; i < passes; ++i) pass(1);
  }

  static std::vector<ModelLayer> layers_of(int layers, int heads, int kv_heads) {
    return std::vector<ModelLayer>(static_cast<std::size_t>(layers),
                                   ModelLayer{.heads = heads, .kv_heads = kv_heads, .scale = 1.4});
  }

  WatchedModel model;
  WatchWriter writer;
  std::int64_t tokens = 0, number = 0;
};

inline WatchState& watch_state(Robot& robot) { return *robot.app().view().watch; }
inline const ShownWatch& shown_watch(Robot& robot) { return *watch_state(robot).shown; }

/// Frames until another thread has made the condition true; false after ten seconds.
inline bool comes(Robot& robot, const std::function<bool()>& there) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < end) {
    robot.frame();
    if (there()) {
      robot.settle();
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

/// Whether the page shows this many tokens that the process has read.
inline bool shows_tokens(Robot& robot, std::int64_t tokens) {
  return comes(robot, [&] {
    const ShownWatch& shown = shown_watch(robot);
    return shown.text->keys == tokens && shown.grid && shown.grid->text->keys == tokens && shown.head &&
           shown.head->text->keys == tokens;
  });
}

/// Frames for this long.
inline void frames_for(Robot& robot, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    robot.frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

inline void show_watch_page(Robot& robot) {
  robot.app().view().mode = Mode::Model;
  watch_state(robot).on = true;
  robot.settle();
}

}  // namespace attnscope::test
