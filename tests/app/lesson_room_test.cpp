// Every step of every lesson in front of a room whose window is small: letters of 24 pixels and more, the
// title and the question always in sight, one picture at a time, and numbers in the cells of its map. Nothing
// is trained to its end, and only models that come with the program are read.
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <imgui_internal.h>

#include "app/lesson_column_robot.hpp"

namespace attnscope::lesson_room_test {
namespace {

using namespace attnscope::test;

const std::string two_maps = "04-why-divide";  // its fourth step has two, the right one under a lid

/// Whether its pictures take seconds, or need files that not every computer has: the test does not wait for
/// them.
bool is_slow(const lessons::Lesson& lesson) {
  return lesson.of_training() || (lesson.of_model() && lesson.model.find('/') == std::string::npos);
}

lessons::Lesson lesson_of_file(const std::string& name) {
  return lessons::read_lesson(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons" / (name + ".md"));
}

Box part_of_window(std::string_view name) {
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
    if (window->WasActive && std::string_view(window->Name).find(name) != std::string_view::npos)
      return {window->Pos.x, window->Pos.y, window->Size.x, window->Size.y};
  return {};
}

std::vector<PlacedText> texts_inside(const std::vector<PlacedText>& all, const Box& box) {
  std::vector<PlacedText> texts = all;
  std::erase_if(texts, [&](const PlacedText& text) {
    return text.x0 < box.x || text.x1 > box.right() + 1 || text.y1 < box.y || text.y0 > box.bottom();
  });
  return texts;
}

/// Faults that are known and left, one "1024x768 outside 24-induction-in-two-layers step 1" a line. The list
/// may only become shorter: a fault of another step or kind fails.
std::set<std::string> known_faults() {
  std::ifstream file(std::filesystem::path(ATTNSCOPE_TESTS) / "app/rooms_left.txt");
  std::set<std::string> known;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') known.insert(line);
  return known;
}

/// A room in front of which every step of a lesson is shown.
class Room {
 public:
  Room(int width, int height, const std::string& language)
      : player_({.width = width, .height = height}),
        size_(std::to_string(width) + "x" + std::to_string(height) +
              (language == "en" ? "" : " " + language)) {
    player_.app().view().language = language;
    player_.app().lessons().go_to({two_maps, 0});
    player_.settle();
    player_.press(ImGuiKey_F5);
  }
  std::size_t show(const std::string& name) {
    const lessons::Lesson lesson = lesson_of_file(name);
    slow_ = is_slow(lesson);
    for (std::int64_t step = 0; step < std::ssize(lesson.steps); ++step) {
      where_ = name + " step " + std::to_string(step + 1);
      player_.app().lessons().go_to({name, step});
      wait();
      REQUIRE(player_.state().step == step);
      look();
      // The Page Down key turns the words that have no room, and only then the step.
      // A long question leaves them one line.
      for (int turn = 0; player_.moments().words_left >= 1 && turn < 20; ++turn) {
        player_.key(ImGuiKey_PageDown);
        wait();
        if (player_.state().step != step) add("turning", "Page Down left words unread");
      }
      if (player_.moments().words_left >= 1) add("turning", "the words have no end");
      if (!player_.step().question) continue;
      player_.key(ImGuiKey_R);
      wait();
      if (!player_.state().answer.revealed) add("question", "R does not reveal");
      where_ += " after R";
      look();
    }
    return lesson.steps.size();
  }
  /// What is wrong, one line for each step and fault.
  const std::string& faults() const { return faults_; }

 private:
  void add(const std::string& kind, const std::string& what) {
    const std::string place = size_ + " " + kind + " " + where_;
    if (!known_.contains(place)) faults_ += place + "\n  " + what + "\n";
  }
  void wait() { slow_ ? player_.frame(frames_to_answer + 4) : player_.settle(); }

  void look() {
    const std::vector<PlacedText> texts = texts_of(player_);
    look_at_texts(texts);
    if (player_.step().question) look_at_question(texts);
    if (!slow_) look_at_pictures(texts);
  }
  /// Of a slow lesson the words alone: how far its pictures are depends on the computer.
  void look_at_texts(std::vector<PlacedText> texts) {
    if (slow_)
      texts = texts_inside(texts,
                           {0, 0, part_of_window("lesson ").right(), static_cast<float>(player_.height())});
    const auto right = static_cast<float>(player_.width()), low = static_cast<float>(player_.height());
    constexpr float least = 13.8f;  // of the built-in font's capitals, which are .58 of an em of 24
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const PlacedText& text = texts[i];
      // Indices and exponents of a formula are smaller than the sign before them, as in print.
      const bool is_index = i > 0 && texts[i - 1].capitals >= least && text.capitals > 0.65f * least &&
                            text.text.size() <= 4 && std::abs(text.x0 - texts[i - 1].x1) < 2;
      if (text.capitals < least && !is_index) add("small", "\"" + text.text + "\"");
      if (text.x0 < -1 || text.x1 > right + 1 || text.y0 < -1 || text.y1 > low + 1)
        add("outside", "\"" + text.text + "\"");
    }
    if (const std::string pairs = overlaps_in(texts); !pairs.empty()) add("overlapping", pairs);
  }
  void look_at_question(const std::vector<PlacedText>& all) {
    const Box card = part_of_window("lesson question");
    const std::vector<PlacedText> texts = texts_inside(all, card);
    const auto need = [&](const lessons::Prose& prose) {
      if (const std::string hidden = hidden_of(prose, texts, card); !hidden.empty())
        add("question", "hides \"" + hidden + "\"");
    };
    const lessons::Question& question = *player_.step().question;
    need(question.words);
    const bool revealed = player_.state().answer.revealed;
    if (const auto* const choose = std::get_if<lessons::ChooseQuestion>(&question.kind))
      for (const lessons::Choice& choice : choose->choices)
        if (!revealed || choice.right) need(choice.prose);
    if (revealed) need(question.answer);
    // The title stands above all parts that scroll.
    lessons::Prose title(1);
    title[0].kind = lessons::Piece::Kind::Strong;
    title[0].text = player_.step().title;
    const Box left{0, 0, card.right(), static_cast<float>(player_.height())};
    if (!hidden_of(title, texts_inside(all, left), left).empty()) add("question", "hides the title");
  }
  /// The only map, and numbers in it if it is of few tokens.
  void look_at_pictures(const std::vector<PlacedText>& texts) {
    const RecordedItem* const a = player_.items().find("lesson A 0");
    const RecordedItem* const b = player_.items().find("lesson B 0");
    const lessons::Step& step = player_.step();
    if (a != nullptr && b != nullptr) add("pictures", "two maps at a time");
    if (a != nullptr && step.question && player_.state().answer.revealed &&
        player_.app().held().held_result())
      add("pictures", "R does not show the map that was covered");
    const RecordedItem* const map = a != nullptr ? a : b;
    if (map == nullptr) return;
    const Box cells{map->min.x, map->min.y, map->max.x - map->min.x, map->max.y - map->min.y};
    if (cells.x < part_of_window("lesson ").right()) add("pictures", "the map lies over the words");
    constexpr std::int64_t few = 6;
    const Dimensions& d = player_.app().shown()->layer().dimensions;
    const bool has_room = std::max(d.keys, d.queries) <= few && step.shown.size() < 3;
    const auto is_number = [](const PlacedText& text) {
      return !text.text.empty() && std::isdigit(static_cast<unsigned char>(text.text.back())) != 0;
    };
    if (has_room && std::ranges::count_if(texts_inside(texts, cells), is_number) == 0)
      add("numbers", "no numbers in the cells");
  }

  Player player_;
  bool slow_ = false;
  std::string where_;
  std::string size_, faults_;
  std::set<std::string> known_ = known_faults();
};

/// The slow ones have a window of their own: the others do not wait for their work.
void show_all_lessons(int width, int height) {
  std::size_t steps = 0;
  for (const bool slow : {false, true}) {
    Room room(width, height, "en");
    for (const std::string& name : all_lessons())
      if (is_slow(lesson_of_file(name)) == slow) steps += room.show(name);
    CHECK(room.faults() == "");
  }
  CHECK(steps >= 290);
}

}  // namespace

TEST_CASE("every step is shown whole to a room of 1280 by 720", "[lessons][lesson_room][presenter]") {
  show_all_lessons(1280, 720);
}

TEST_CASE("every step is shown whole to a room of 1024 by 768", "[lessons][lesson_room][presenter]") {
  show_all_lessons(1024, 768);
}

TEST_CASE("the German lessons are shown whole to a room, too", "[lessons][lesson_room][presenter]") {
  Room room(1280, 720, "de");
  std::size_t steps = 0;
  for (const std::string& name : all_lessons()) {
    const std::string file = name + ".de.md";
    if (std::filesystem::exists(std::filesystem::path(ATTNSCOPE_ASSETS) / "lessons" / file))
      steps += room.show(name);
  }
  CHECK(steps >= 40);
  CHECK(room.faults() == "");
}

TEST_CASE("in a narrow room X turns from one map to the other, and R shows what it reveals",
          "[lessons][lesson_room][presenter]") {
  Player player({.width = 1280, .height = 720});
  player.app().lessons().go_to({two_maps, 3});
  player.settle();
  const auto has = [&](const char* map) { return player.items().find(map) != nullptr; };
  player.press(ImGuiKey_X);  // at a screen both stand side by side, and X does nothing
  CHECK(has("lesson A 0"));
  CHECK_FALSE(player.moments().turned_to);
  player.press(ImGuiKey_F5);
  CHECK(has("lesson A 0"));
  CHECK_FALSE(player.says("lifts"));
  player.press(ImGuiKey_X);
  CHECK_FALSE(has("lesson A 0"));
  CHECK(player.says("lifts"));  // B under its lid
  player.press(ImGuiKey_X);
  CHECK(has("lesson A 0"));
  player.press(ImGuiKey_R);
  CHECK(has("lesson B 0"));
  CHECK_FALSE(has("lesson A 0"));
  player.click("picture 1");
  player.settle();
  CHECK(has("lesson A 0"));
  player.press(ImGuiKey_PageDown);
  CHECK(player.state().step == 4);
  CHECK(has("lesson A 0"));  // the next step begins with its first picture
}

TEST_CASE("in a narrow room a model's head and all its heads, a run's curves and its heads have turns",
          "[lessons][lesson_room][presenter]") {
  Player player({.width = 1280, .height = 720});
  player.press(ImGuiKey_F5);
  player.app().lessons().go_to({"28-a-vit-looks-at-patches", 8});
  player.settle();
  CHECK(player.items().find("model map 0") != nullptr);
  player.press(ImGuiKey_X);
  CHECK(player.items().find("model map 0") == nullptr);
  CHECK(player.says("All heads"));
  player.app().lessons().go_to({"24-induction-in-two-layers", 0});  // its first step trains nothing
  player.settle();
  CHECK_FALSE(player.says("Heads on the probe"));
  player.press(ImGuiKey_X);
  CHECK(player.says("Heads on the probe"));
}

}  // namespace attnscope::lesson_room_test
