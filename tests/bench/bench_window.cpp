#include "tests/bench/bench_window.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <imgui.h>
#include <nlohmann/json.hpp>

#include "app/files/paths.hpp"
#include "app/session/session.hpp"
#include "app/state/window_state.hpp"
#include "app/training/lab_state.hpp"
#include "app/window/app_without_window.hpp"
#include "core/base/error.hpp"
#include "core/edits/within.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/models/opened/first_text.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/text/utf8.hpp"
#include "tests/bench/timing.hpp"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double frame_seconds = 1.0 / 60;
constexpr double too_long = 60;  // seconds for one letter
constexpr int letters = 40;
constexpr double between_letters = 0.15, between_repeats = 1.0 / 30;
constexpr std::string_view sentence =
    "When Mary and John went to the store, John gave a drink to the old man behind the bridge. ";
constexpr std::string_view typed = " and then the small dog ran along the river to";

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Told when there is something new to show, from any thread.
class News {
 public:
  void tell() {
    const std::lock_guard lock(mutex_);
    is_there_ = true;
    changed_.notify_one();
  }
  /// As the window waits: until there is news, or so long.
  void wait(double seconds) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return is_there_; });
    is_there_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_there_ = false;
};

class WindowBench {
 public:
  explicit WindowBench(const WindowBenchOptions& options) : options_(options) {}

  void run() {
    if (options_.file == "training")
      train();
    else
      follow_model();
    if (options_.json.empty()) return;
    const std::string text = report_.dump(1) + "\n";
    const std::string_view piece = text;
    write_atomically(options_.json, {&piece, 1});
  }

 private:
  void frame(Times& ours) {
    ours.seconds.push_back(seconds_of([this] { window_.build(static_cast<float>(frame_seconds)); }));
  }
  /// The driver's part, to the last pixel.
  void draw(Times& drawn) {
    drawn.seconds.push_back(seconds_of([this] {
      window_.draw();
      window_.picture.finish();
    }));
  }

  void tell(const char* what, const Times& times) {
    const double most = times.at(1);
    fmt::print("{:<44} {:8.1f} {:8.1f} {:8.1f} ms of {}\n", what, 1e3 * times.median(), 1e3 * times.at(0.9),
               1e3 * most, times.seconds.size());
    report_[what] = {{"median_ms", 1e3 * times.median()},
                     {"p90_ms", 1e3 * times.at(0.9)},
                     {"most_ms", 1e3 * most},
                     {"count", times.seconds.size()}};
  }
  static void tell_columns() { fmt::print("{:<44} {:>8} {:>8} {:>8}\n", "", "median", "90 %", "most"); }

  /// The text of so many tokens, or the longest below.
  static ModelText text_of(const OpenedModel& model, int tokens) {
    ModelText text = first_text(model);
    if (!text.masked.empty() || model.model->spec.image)
      throw Error(fmt::format("{} does not go on with a text; a decoder does.", in_quotes(model.name)));
    text.text.clear();
    std::string longer;
    for (std::size_t at = 0; longer.size() < (1u << 16); ++at) {
      longer += sentence[at % sentence.size()];
      const bool at_word = sentence[(at + 1) % sentence.size()] == ' ';
      if (!at_word) continue;
      ModelText next = text;
      next.text = longer;
      if (std::ssize(tokens_of(model, next).input.ids) > tokens) break;
      text = std::move(next);
    }
    return text;
  }

  /// Nothing is on its way any more, on the driver's side either.
  void settle() {
    window_.settle();
    window_.picture.finish();
  }

  void open() {
    Session session = open_session(options_.file, {});
    ModelContext& within = session.document.within.change();
    if (!within.model) throw Error(fmt::format("{} is no model.", in_quotes(options_.file)));
    within.input = text_of(*within.model, options_.tokens);
    window_.app.files().opening.open(std::move(session), options_.file);
    settle();
    window_.app.view().mode = Mode::Model;
    settle();
    if (const std::string trouble = window_.app.message(); !trouble.empty()) throw Error(trouble);
  }

  /// Whether every head, the lens and the prediction of the text as it is now were there when the last frame
  /// was built, and so were drawn in it.
  bool is_followed() const {
    const ModelReadingPtr reading = window_.app.model();
    if (!reading || reading->within != window_.app.document().within.read()) return false;
    if (!reading->prediction || !window_.app.shown()) return false;
    if (!reading->lens) return true;  // the model has none
    return std::ranges::none_of(reading->lens->cells, [](const LensCell& cell) { return cell.top.empty(); });
  }

  void type(char letter) { ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(letter)); }
  void press(ImGuiKey key, ImGuiKey modifier = ImGuiKey_None) {
    ImGuiIO& io = ImGui::GetIO();
    Times ignored;
    for (const bool down : {true, false}) {
      if (modifier != ImGuiKey_None) {
        io.AddKeyEvent(modifier == ImGuiKey_LeftCtrl ? ImGuiMod_Ctrl : modifier, down);
        io.AddKeyEvent(modifier, down);
      }
      io.AddKeyEvent(key, down);
      frame(ignored);
      frame(ignored);
    }
  }

  /// The field has the keyboard, the cursor stands behind its text.
  void go_into_text() {
    press(ImGuiKey_L, ImGuiKey_LeftCtrl);
    press(ImGuiKey_End);
    if (!ImGui::GetIO().WantTextInput) throw Error("The text has no field to type into here.");
  }

  void type_letters() {
    Times followed, ours, drawn;
    for (int i = 0; i < letters; ++i) {
      const auto key = Clock::now();
      double drawing = 0;
      type(typed[static_cast<std::size_t>(i) % typed.size()]);
      frame(ours);
      while (true) {
        frame(ours);
        if (is_followed()) break;
        draw(drawn);  // the window shows what it has meanwhile
        drawing += drawn.seconds.back();
        if (since(key) > too_long) throw Error("A letter was not followed within a minute.");
        news_.wait(frame_seconds);
      }
      followed.seconds.push_back(since(key) - drawing);
      draw(drawn);
      std::this_thread::sleep_for(std::chrono::duration<double>(between_letters));
    }
    tell("a letter, from the key to the picture", followed);
    tell("  frames of the window meanwhile", ours);
    tell("  drawn by the driver", drawn);
  }

  void hold_key() {
    Times ours, drawn;
    const auto start = Clock::now();
    double next = 0;
    while (since(start) < options_.seconds) {
      if (since(start) >= next) {
        type('a');
        next += between_repeats;
      }
      const auto begun = Clock::now();
      frame(ours);
      draw(drawn);
      if (const double left = frame_seconds - since(begun); left > 0) news_.wait(left);
    }
    tell("a held key: frames of the window", ours);
    tell("  drawn by the driver", drawn);
  }

  void point_at_tokens() {
    press(ImGuiKey_Escape);
    settle();
    Times ours, drawn, both;
    const ImVec2 size = window_.app.size();
    const auto start = Clock::now();
    while (since(start) < options_.seconds) {
      // Along the strip of tokens and back: each dims the heads that give it little.
      const double along = since(start) * 0.7 - std::floor(since(start) * 0.7);
      ImGui::GetIO().AddMousePosEvent(size.x * static_cast<float>(0.2 + 0.6 * along), size.y * 0.087f);
      const auto begun = Clock::now();
      frame(ours);
      draw(drawn);
      both.seconds.push_back(since(begun));
    }
    tell("pointing along the tokens: a whole frame", both);
    tell("  the window", ours);
    tell("  drawn by the driver", drawn);
    fmt::print("{:<44} {:8.1f}\n", "  frames a second", 1 / both.median());
    report_["frames_a_second"] = 1 / both.median();
  }

  void follow_model() {
    open();
    const ModelReadingPtr reading = window_.app.model();
    if (!reading) throw Error("The model has no reading.");
    fmt::print("{}, {}, {} tokens, 1600 × 1000\n", reading->within.model->name,
               reading->within.model->heads_words(), reading->tokens->input.ids.size());
    tell_columns();
    go_into_text();
    type_letters();
    hold_key();
    point_at_tokens();
  }

  void train() {
    settle();
    window_.app.view().mode = Mode::Training;
    settle();
    LabState& lab = lab_of(window_.app.view());
    lab.pace = LabPace::Fast;
    lab.task = "induction";
    settle();
    fmt::print("training {} as fast as it can, 1600 × 1000\n", lab.task);
    tell_columns();
    lab.playing = true;
    Times ours, drawn, both;
    const auto start = Clock::now();
    while (since(start) < options_.seconds) {
      const auto begun = Clock::now();
      frame(ours);
      draw(drawn);
      both.seconds.push_back(since(begun));
      if (const double left = frame_seconds - since(begun); left > 0)
        std::this_thread::sleep_for(std::chrono::duration<double>(left));
    }
    lab.playing = false;
    tell("while it trains: frames of the window", ours);
    tell("  drawn by the driver", drawn);
    tell("  a whole frame", both);
    const training::LabRun* const run = window_.app.training().shown_lab().run();
    fmt::print("{:<44} {:8}\n", "  steps meanwhile", run == nullptr ? 0 : run->step);
    report_["steps"] = run == nullptr ? 0 : run->step;
  }

  WindowBenchOptions options_;
  nlohmann::json report_;
  News news_;
  AppWithoutWindow window_{{.width = 1600,
                            .height = 1000,
                            .scale = 1,
                            .opening = opening_picture(assets_directory()),
                            .wake = [this] { news_.tell(); }}};
};

}  // namespace

void run_window_bench(const WindowBenchOptions& options) { WindowBench(options).run(); }

}  // namespace attnscope
