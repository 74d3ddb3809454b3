// app/exports/prints: a lesson with its computed numbers, for worksheets, instructors' pages and quizzes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/exports/prints/exercise.hpp"
#include "app/lessons/told_step.hpp"

namespace attnscope::prints {

/// A row of weights that is to be sketched.
struct PrintedRow {
  std::string query;
  std::vector<std::string> keys;
  std::vector<double> weights;
};

struct PrintedQuestion {
  ToldQuestion asked;  // with choices in the order of the seed
  std::optional<PrintedRow> row;
  std::string measure;  // of a curve that is to be drawn; empty: none
};

struct PrintedStep {
  std::string title;
  std::size_t chapter = 0;
  std::optional<PrintedQuestion> question;
  std::string task;
  std::string notes;  // of the speaker, with computed numbers; a line each
};

/// What can be drawn on a board.
struct Board {
  struct Matrix {
    std::string step;  // its title
    std::vector<std::string> rows, columns;
    std::vector<double> weights;  // by rows
  };
  struct Shapes {
    std::int64_t queries = 0, keys = 0, heads = 0, d_k = 0, d_v = 0;
  };
  struct Grid {  // heads of a model that the lesson looks at
    std::int64_t layers = 0, heads = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> looked_at;
  };
  struct Curve {  // of a run that trains
    std::string measure;
    std::int64_t steps = 0;
    std::vector<std::pair<double, double>> points;
  };
  std::optional<Matrix> matrix;
  std::optional<Shapes> shapes;
  std::optional<Grid> grid;
  std::optional<Curve> curve;
};

struct PrintedLesson {
  std::string name;  // of its file, without ending
  std::string title, about, language;
  std::int64_t number = 0, minutes = 0, seed = 0;
  std::string model;  // as the lesson names it; empty: none
  bool trains = false;
  std::vector<std::string> chapters;
  std::vector<PrintedStep> steps;
  Exercise exercise;  // without parts for a lesson that has no Document of its own
  Board board;
};

struct PrintedFrom {
  std::filesystem::path file;
  std::string language;   // of the other words; the lesson's own may be English
  std::int64_t seed = 0;  // order of choices, and numbers of the exercise
};

/// Plays the lesson as check_lesson() does, so that its numbers are those that the checker found. `share`: of
/// the steps played. Throws Error that names file and line for a lesson that cannot be played, and for one
/// whose model is not on this computer; Cancelled.
PrintedLesson printed_lesson(const PrintedFrom&, const std::stop_token& stop = {},
                             const std::function<void(double)>& share = {});
/// The same with `count` seeds, from that of PrintedFrom on; the lesson is played once.
std::vector<PrintedLesson> printed_sheets(const PrintedFrom&, std::int64_t count,
                                          const std::stop_token& stop = {},
                                          const std::function<void(double)>& share = {});

}  // namespace attnscope::prints
