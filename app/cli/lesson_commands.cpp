#include "app/cli/lesson_commands.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/lesson_prints.hpp"
#include "app/cli/parts/checked_option.hpp"
#include "app/files/paths.hpp"
#include "app/lessons/check.hpp"
#include "app/lessons/lesson_numbers.hpp"
#include "app/lessons/model_numbers.hpp"
#include "app/lessons/training_numbers.hpp"
#include "app/window/render.hpp"
#include "core/base/error.hpp"
#include "core/files/document/open.hpp"
#include "core/files/document/session_file.hpp"
#include "core/files/formats/atomic_write.hpp"

namespace attnscope {

namespace {

std::filesystem::path first_example() {
  const std::vector<Example> examples = list_examples(assets_directory());
  if (examples.empty()) throw Error("There is no example to begin with; name a document.");
  return examples.front().path;
}

struct LessonLines {
  std::vector<std::string> files;
  std::string document, out, lesson;
  std::size_t step = 0;  // 0: all
  bool strict = false;   // warnings count as errors
  LessonPages pages;

  void check() const {
    std::size_t wrong = 0, warned = 0, unplayed = 0, courses = 0;
    for (const std::string& file : files) {
      const lessons::CheckedLesson found = lessons::check_lesson(file);
      for (const std::string& problem : found.problems) fmt::print(stderr, "{}\n", problem);
      for (const std::string& warning : found.warnings) fmt::print(stderr, "warning: {}\n", warning);
      wrong += found.problems.size();
      warned += found.warnings.size();
      if (found.trained)
        fmt::print("{}: its runs were trained here.\n", std::filesystem::path(file).filename().native());
      if (!found.course.empty()) {
        ++courses;
        fmt::print("{}: {}.\n", std::filesystem::path(file).filename().native(), found.course);
      }
      if (found.played) continue;
      ++unplayed;
      fmt::print("{}: its model is not on this computer; only its text was checked.\n",
                 std::filesystem::path(file).filename().native());
    }
    if (wrong > 0)
      throw Error(fmt::format("{} {} wrong in {} {}.", wrong, wrong == 1 ? "thing is" : "things are",
                              files.size(), files.size() == 1 ? "lesson" : "lessons"));
    if (strict && warned > 0)
      throw Error(fmt::format("{} {} in {} {}, and with --strict none is allowed.", warned,
                              warned == 1 ? "warning" : "warnings", files.size(),
                              files.size() == 1 ? "lesson" : "lessons"));
    const std::size_t can = files.size() - unplayed - courses;
    if (can > 0 || courses == 0) fmt::print("{} {} can be played.\n", can, can == 1 ? "lesson" : "lessons");
  }
  void make() const {
    const Document start =
        open_document(document.empty() ? first_example() : std::filesystem::path(document));
    const std::string text = lessons::lesson_skeleton(start);
    if (out == "-") return fmt::print("{}", text);
    const std::string_view piece = text;
    write_atomically(out, {&piece, 1});
    fmt::print("Written: {}\n", out);
  }
  void draw() const {
    LessonPages asked = pages;
    asked.lesson = in_language(lesson, asked.language);
    asked.out = out;
    if (step > 0) asked.step = step;
    const std::string lacks = render_lesson(asked);
    if (!lacks.empty()) fmt::print(stderr, "{}\n", lacks);
    fmt::print("Written: {}\n", out);
  }
  void list_names() const {
    for (const lessons::KnownName& name : lessons::known_names())
      fmt::print("{:<32}{}\n", name.call, name.what);
    fmt::print("\npictures of a step (\"view\" in \"look\"):\n");
    for (const lessons::KnownView& view : lessons::known_views)
      fmt::print("{:<32}{}\n", view.name, view.what);
    fmt::print("\nof a model:\n");
    for (const lessons::KnownName& name : lessons::known_model_names())
      fmt::print("{:<40}{}\n", name.call, name.what);
    fmt::print("\nof a run that is trained, and with \"branch.\" in front of its branch:\n");
    for (const lessons::KnownName& name : lessons::known_training_names())
      fmt::print("{:<40}{}\n", name.call, name.what);
  }
};

}  // namespace

std::function<bool()> add_lesson_commands(CLI::App& app) {
  const auto lines = std::make_shared<LessonLines>();
  CLI::App& lesson = *app.add_subcommand("lesson", "Check a lesson's file, or write one to begin with");
  lesson.require_subcommand(1);
  CLI::App* const check_command =
      lesson.add_subcommand("check", "Go through lessons and say line and reason of what is wrong, and warn");
  check_command->add_option("FILE", lines->files, "Lessons and courses (.md)")->required()->type_name("");
  check_command->add_flag("--strict", lines->strict,
                          "Warnings count as well: answers in sight, choices that say nothing, sides "
                          "without a name");
  CLI::App* const new_command = lesson.add_subcommand("new", "Write a lesson to begin with");
  new_command->add_option("DOCUMENT", lines->document, "A session or document (.json) that it begins with")
      ->type_name("");
  new_command->add_option("-o,--out", lines->out, "The lesson goes here, - is the standard output")
      ->required()
      ->type_name("OUT.md");
  CLI::App* const pages_command = lesson.add_subcommand(
      "pages",
      "Draw the steps of a lesson as a PDF, as one HTML file in which one answers and reveals, or as PNG "
      "files into a folder");
  CLI::App& pages = *pages_command;
  LessonPages& asked = lines->pages;
  pages.add_option("FILE", lines->lesson, "A lesson (.md)")->required()->type_name("");
  refuse_dash(
      pages.add_option(
          "-o,--out", lines->out,
          "The handout (.pdf), a page for browsers (.html), or a folder; it is made where it is missing"),
      "pages")
      ->required()
      ->type_name("OUT");
  pages.add_option("--step", lines->step, "This step alone, from 1")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  pages.add_flag("--revealed", asked.revealed, "With the answers to what is asked");
  pages.add_flag("--presented", asked.presented, "As it is presented to a room");
  pages.add_option("--width", asked.width, "Pixels, from 320 to 16384")
      ->type_name("N")
      ->check(CLI::Range(320, 16384).description(""));
  pages.add_option("--height", asked.height, "Pixels, from 240 to 16384")
      ->type_name("N")
      ->check(CLI::Range(240, 16384).description(""));
  pages.add_option("--scale", asked.scale, "Size of everything drawn, from 0.5 to 4")
      ->type_name("S")
      ->check(CLI::Range(0.5, 4.0).description(""));
  pages.add_option("--theme", asked.theme, "dark, light or contrast")
      ->type_name("T")
      ->check(CLI::IsMember({"dark", "light", "contrast"}).description(""));
  pages.add_option("--language", asked.language, "Of the lesson and the window")->type_name("CODE");
  CLI::App* const names_command =
      lesson.add_subcommand("names", "List the numbers that a lesson's expressions can ask for");
  const std::function<bool()> printed = add_lesson_prints(lesson);
  return [=] {
    if (check_command->parsed()) return lines->check(), true;
    if (new_command->parsed()) return lines->make(), true;
    if (pages_command->parsed()) return lines->draw(), true;
    if (names_command->parsed()) return lines->list_names(), true;
    return printed();
  };
}

}  // namespace attnscope
