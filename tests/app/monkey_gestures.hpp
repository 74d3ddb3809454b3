// tests/app: gestures of the monkey that take several events: it clicks in a region and then types the
// sentence, exports under all sorts of names, and opens cases of the shared vectors while another file is
// open. ATTNSCOPE_MONKEY_GESTURES=0 turns these off.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/regions/layout.hpp"
#include "files_robot.hpp"
#include "robot/robot.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::test {

inline bool gestures_asked_for() {
  const char* request = std::getenv("ATTNSCOPE_MONKEY_GESTURES");
  return request == nullptr || std::string_view(request) != "0";
}

/// All files are written into the directory; a case is copied there before it is opened, since an open file
/// may be saved.
class MonkeyGestures {
 public:
  MonkeyGestures(std::mt19937_64& random, const TemporaryDirectory& directory)
      : random_(random), directory_(directory) {
    std::error_code none;
    const std::filesystem::path cases = std::filesystem::path(ATTNSCOPE_SHARED) / "vectors" / "cases";
    for (const auto& entry : std::filesystem::directory_iterator(cases, none)) cases_.push_back(entry.path());
    std::ranges::sort(cases_);       // the order of a directory differs between disks
    std::mt19937_64 order = random;  // the other events of a seed stay the same
    std::ranges::shuffle(cases_, order);
  }

  /// A click somewhere in one region, Ctrl+L and a sentence.
  std::string region(Robot& robot) {
    static constexpr std::array<std::pair<std::string_view, Box Layout::*>, 9> regions{
        {{"top bar", &Layout::top},
         {"left column", &Layout::controls},
         {"heads", &Layout::heads},
         {"token strip", &Layout::strip},
         {"centre", &Layout::focus},
         {"signals", &Layout::signals},
         {"inspector", &Layout::inspector},
         {"status line", &Layout::status},
         {"whole centre", &Layout::whole}}};
    const auto& [name, member] = regions[index_below(regions.size())];
    const Layout layout = compute_layout(static_cast<float>(robot.width()),
                                         static_cast<float>(robot.height()), robot.app().view(), 1);
    const Box box = layout.*member;
    if (box.w < 1 || box.h < 1) return "no " + std::string(name);
    robot.click_at({box.x + box.w * share(), box.y + box.h * share()});
    robot.key(ImGuiKey_L, ImGuiMod_Ctrl);
    static constexpr std::array<std::string_view, 6> sentences{
        "my dog likes big cats", "the cat sat", "0.5 of it, 0,5 of that", "我爱猫", "a", "two\nlines here"};
    robot.type(sentences[index_below(sentences.size())]);
    const int end = below(3);
    if (end < 2) robot.key(end == 0 ? ImGuiKey_Enter : ImGuiKey_Escape);
    return std::string("click in ") + std::string(name) + ", Ctrl+L, sentence" +
           (end == 0   ? ", Enter"
            : end == 1 ? ", Escape"
                       : "");
  }

  /// A session, numbers, a picture, an animation, a handout or a table, under a bare name, with another
  /// ending, or onto a file that is there. An export that takes longer than a moment is stopped.
  std::string exports(Robot& robot) {
    close_popups(robot);
    robot.app().view().files->dialog.folder = directory_.path();
    keep_small(robot);
    const std::string opened = open_dialog(robot);
    if (!is_card_open()) return opened + " opens nothing";
    const std::string kind = choose_kind(robot), name = name_of_file();
    keep_small(robot);
    if (robot.has("##name")) robot.click("##name");
    robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
    robot.type(name);
    robot.key(ImGuiKey_Enter);
    robot.frame(3);
    if (robot.has("Replace")) {
      if (below(4) != 0) robot.click("Replace");
    }
    wait_or_stop(robot);
    close_popups(robot);
    return opened + kind + " as " + name;
  }

  /// One case after the other, as a folder or one of its files; nothing where there are none.
  std::string open_case(Robot& robot) {
    if (cases_.empty()) return "no cases";
    const std::filesystem::path& from = cases_[next_++ % cases_.size()];
    const std::filesystem::path to = directory_.path() / "cases" / from.filename();
    std::vector<std::filesystem::path> there = copied(from, to);
    if (there.empty()) return "no small file in " + from.filename().native();
    if (std::filesystem::is_directory(to)) there.push_back(to);
    const std::filesystem::path& path = below(2) == 0 ? there.back() : there[index_below(there.size())];
    robot.app().files().opening.open(path);
    robot.frame(2);
    return "open case " + std::filesystem::relative(path, directory_.path() / "cases").native();
  }

 private:
  static constexpr std::uintmax_t most_bytes = 2'000'000;
  static constexpr std::chrono::milliseconds patience{400};

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  std::size_t index_below(std::size_t n) { return static_cast<std::size_t>(below(static_cast<int>(n))); }
  float share() { return static_cast<float>(below(100)) / 100; }

  static void close_popups(Robot& robot) {
    for (int i = 0; i < 8 && is_card_open(); ++i) {
      robot.key(ImGuiKey_Escape);
      robot.frame();
    }
  }

  /// Pictures of a window at its own size, of three frames.
  static void keep_small(Robot& robot) {
    FilesState& files = *robot.app().view().files;
    files.scale = 1;
    files.sweep.frames = 3;
    files.token_pixels = least_token_pixels;
  }

  /// By the file menu, where the window has room for it, or by a key.
  std::string open_dialog(Robot& robot) {
    static constexpr std::array<std::string_view, 7> rows{"Save as",
                                                          "Export CSV",
                                                          "Export NPY",
                                                          "Export tensors",
                                                          "Picture of the middle",
                                                          "Picture of the plots",
                                                          "Picture of the window"};
    if (below(4) != 0 && robot.has("File")) {
      robot.click("File");
      robot.frame(3);
      const std::string row(rows[index_below(rows.size())]);
      if (robot.has(row)) {
        robot.click(row);
        robot.frame(3);
        return row;
      }
      close_popups(robot);
    }
    robot.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
    robot.frame(3);
    return "Ctrl+Shift+S";
  }

  /// One of the segments of the dialog that are in sight, most of the time.
  std::string choose_kind(Robot& robot) {
    std::vector<std::string> kinds;
    for (const std::string_view kind :
         {"Picture as: PNG", "Picture as: SVG", "Picture as: Animation", "Picture as: Handout",
          "Numbers as: CSV", "Numbers as: NPY", "Model numbers as: Activations"})
      if (robot.has(kind)) kinds.emplace_back(kind);
    if (kinds.empty() || below(3) == 0) return "";
    const std::string& kind = kinds[index_below(kinds.size())];
    robot.click(kind);
    robot.frame(3);
    return ", " + kind;
  }

  /// One of few names, so that many exist already.
  std::string name_of_file() {
    static constexpr std::array<std::string_view, 12> names{
        "out",     "out.v2",  "out.json", "out.csv", "out.npy",         "out.svg",
        "out.png", "out.pdf", "two",      "two.txt", "two.safetensors", "我.csv"};
    const std::string name(names[index_below(names.size())]);
    if (below(4) == 0 && !std::filesystem::exists(directory_ / name))
      std::ofstream(directory_ / name) << "mine";
    return name;
  }

  /// Frames until the file is written; after some of them the export is stopped with its button.
  static void wait_or_stop(Robot& robot) {
    const auto begin = std::chrono::steady_clock::now();
    const auto is_busy = [&] { return robot.app().view().files->exporting.has_value(); };
    while (!robot.app().settled() && std::chrono::steady_clock::now() - begin < patience) robot.frame();
    for (int i = 0; i < 3 && is_busy() && robot.has("Cancel"); ++i) robot.click("Cancel");
  }

  /// The small files of a case, copied with the folders they lie in.
  static std::vector<std::filesystem::path> copied(const std::filesystem::path& from,
                                                   const std::filesystem::path& to) {
    namespace fs = std::filesystem;
    std::vector<fs::path> there;
    const auto copy = [&](const fs::path& file, const fs::path& into) {
      if (fs::file_size(file) > most_bytes) return;
      fs::create_directories(into.parent_path());
      fs::copy_file(file, into, fs::copy_options::overwrite_existing);
      fs::permissions(into, fs::perms::owner_write, fs::perm_options::add);
      there.push_back(into);
    };
    if (fs::is_regular_file(from)) copy(from, to);
    if (fs::is_directory(from))
      for (const auto& entry : fs::recursive_directory_iterator(from))
        if (entry.is_regular_file()) copy(entry.path(), to / fs::relative(entry.path(), from));
    std::ranges::sort(there);
    return there;
  }

  std::mt19937_64& random_;
  const TemporaryDirectory& directory_;
  std::vector<std::filesystem::path> cases_;
  std::size_t next_ = 0;
};

}  // namespace attnscope::test
