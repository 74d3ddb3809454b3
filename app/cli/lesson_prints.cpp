#include "app/cli/lesson_prints.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/parts/checked_option.hpp"
#include "app/exports/prints/instructor.hpp"
#include "app/exports/prints/quiz.hpp"
#include "app/exports/prints/worksheet.hpp"
#include "app/files/paths.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/atomic_write.hpp"
#include "core/files/formats/posix.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr std::int64_t most_seed = 999'999'999;

struct PrintLines {
  std::vector<std::string> files;
  std::string out;
  std::optional<std::string> language;
  std::int64_t seed = 0;
  int sheets = 1;

  void make_worksheet() const {
    check_ending(".html", "a worksheet's name that ends in .html");
    const prints::PrintWords in = words();
    const prints::PrintedFrom from{in_language(files.front(), language), code(), seed};
    write(prints::worksheets(prints::printed_sheets(from, sheets), in, assets_directory()));
  }
  void make_pages() const {
    check_ending(".html", "a name that ends in .html");
    const prints::PrintWords in = words();
    write(prints::instructor_pages(all_played(), in, assets_directory()));
  }
  void make_quiz() const {
    const std::optional<prints::QuizFormat> format = prints::quiz_format(out);
    if (!format) refuse("a quiz's name that ends in .csv, .txt or .gift (GIFT), or .zip (QTI)");
    const prints::PrintWords in = words();
    write(prints::quiz_file(*format, all_played(), in));
  }

 private:
  [[noreturn]] void refuse(std::string_view expected) const {
    throw Error(fmt::format("Cannot write {}: expected {}.", in_quotes(out), expected));
  }
  void check_ending(std::string_view ending, std::string_view expected) const {
    if (lower_extension(out) != ending) refuse(expected);
  }
  std::string code() const { return language.value_or(std::string(english)); }
  prints::PrintWords words() const {
    prints::PrintWords in{{}, code()};
    if (code() != english) in.words.speak(load_table(assets_directory(), code()));
    return in;
  }
  prints::PrintedLesson played(const std::string& file) const {
    return prints::printed_lesson({in_language(file, language), code(), seed});
  }
  std::vector<prints::PrintedLesson> all_played() const {
    std::vector<prints::PrintedLesson> all;
    for (const std::string& file : files) all.push_back(played(file));
    return all;
  }
  void write(const std::string& bytes) const {
    write_atomically(out, std::array{std::string_view(bytes)});
    fmt::print("Written: {}\n", out);
  }
};

}  // namespace

std::filesystem::path in_language(const std::filesystem::path& lesson,
                                  const std::optional<std::string>& language) {
  if (!language || lesson.extension() != ".md") return lesson;
  std::filesystem::path translated = lesson;
  translated.replace_extension("." + *language + ".md");
  std::error_code unknown;
  return std::filesystem::exists(translated, unknown) ? translated : lesson;
}

std::function<bool()> add_lesson_prints(CLI::App& lesson) {
  const auto lines = std::make_shared<PrintLines>();
  const auto add = [&](const char* name, const char* help, const char* files, const char* out,
                       const char* type) {
    CLI::App* const command = lesson.add_subcommand(name, help);
    command->add_option("FILE", lines->files, files)->required()->type_name("");
    refuse_dash(command->add_option("-o,--out", lines->out, out), "a quiz or a page")
        ->required()
        ->type_name(type);
    return command;
  };
  const auto add_seed = [&](CLI::App* command, const char* help) {
    command->add_option("--seed", lines->seed, help)
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{0}, most_seed).description(""));
  };
  const auto add_language = [&](CLI::App* command) {
    command->add_option("--language", lines->language, "Of the lesson and of all other words")
        ->type_name("CODE");
  };
  CLI::App* const sheet = add("worksheet",
                              "Write a lesson's worksheet, to be printed from a browser: empty tables, "
                              "questions with room to write, the answers on the last page",
                              "A lesson (.md)", "The worksheet", "OUT.html");
  sheet->get_option("FILE")->expected(1);
  sheet
      ->add_option("--sheets", lines->sheets, "So many sheets in one file, with this seed and those after it")
      ->type_name("N")
      ->check(CLI::Range(1, 200).description(""));
  add_seed(sheet, "Other numbers in the tables, and choices in another order");
  add_language(sheet);
  CLI::App* const pages = add("instructor",
                              "Write pages for the instructor: goal, time, plan, board sketch, what to ask, "
                              "misconceptions",
                              "Lessons (.md)", "The pages, to be printed from a browser", "OUT.html");
  add_language(pages);
  CLI::App* const quiz =
      add("quiz", "Write the questions of lessons, with computed numbers, for other programs",
          "Lessons (.md)", "The quiz: a table (.csv), GIFT for Moodle (.txt) or QTI 2.1 (.zip)", "OUT");
  add_seed(quiz, "Other numbers in the questions by hand, and choices in another order");
  add_language(quiz);
  return [=] {
    if (sheet->parsed()) return lines->make_worksheet(), true;
    if (pages->parsed()) return lines->make_pages(), true;
    if (quiz->parsed()) return lines->make_quiz(), true;
    return false;
  };
}

}  // namespace attnscope
