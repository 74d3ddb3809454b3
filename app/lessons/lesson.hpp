// app/lessons: a lesson as a value, read from a text file: Markdown with a front matter and fenced blocks of
// settings for each step. Numbers in its prose are expressions that are computed.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/lessons/text/expression.hpp"
#include "app/lessons/text/line_error.hpp"
#include "app/lessons/trained_step.hpp"

namespace attnscope::lessons {

/// The object of a word in the prose: it lights up on screen when the word is pointed at, and the other way
/// round. "query 2", "key 4", "cell 2 4", "head 1", "stage weights", "control scaling", "a" and "b".
struct Anchor {
  enum class Kind : std::uint8_t { Query, Key, Value, Cell, Head, Stage, Control, SideA, SideB };
  Kind kind = Kind::Query;
  std::vector<std::int64_t> places;  // as many as the kind has: a query has a row, a cell a row and a key
  std::string name;                  // of a stage or control
  bool operator==(const Anchor&) const = default;
};

/// A piece of prose in one style.
struct Piece {
  enum class Kind : std::uint8_t { Plain, Strong, Formula, Number };
  Kind kind = Kind::Plain;
  std::string text;                  // of a number: its expression as written
  std::optional<Expression> number;  // of Number
  NumberStyle style;
  int level = 0;  // of a formula: +1 raised, -1 lowered
  std::optional<Anchor> anchor;
};
using Prose = std::vector<Piece>;

struct Paragraph {
  Prose prose;
  bool item = false;  // of a list
};

/// A choice of a question.
struct Choice {
  Prose prose;
  bool right = false;
  std::optional<double> guess;  // the length of the bar beside it, 0 to 1
  Prose why;                    // why it is wrong, shown after it was chosen; may be empty
  int line = 0;                 // in the file
};
struct ChooseQuestion {
  std::vector<Choice> choices;  // 2 to 6, at least one of them right
};
struct DragQuestion {
  double low = 0, high = 1;
  Expression answer;
  double tolerance = 0;  // the largest distance from the answer that counts as right
};
struct SketchQuestion {
  std::int64_t head = 0, query = 0;  // the row of weights that is sketched
  double tolerance = 0.25;           // the largest total variation distance that counts as right
};
struct CurveQuestion {     // in a lesson that trains: the expected curve is drawn on its empty axes
  std::string measure;     // see measure_names()
  double tolerance = 0.1;  // the largest mean distance that is right, as a share of the axis' height
};
struct ThinkQuestion {};  // cover, and think
struct Question {
  Prose words;
  std::variant<ThinkQuestion, ChooseQuestion, DragQuestion, SketchQuestion, CurveQuestion> kind;
  Prose answer;  // shown after the reveal; may be empty
};

/// A line of code beside the step, and its result.
struct CodeLine {
  bool marked = false;  // the line that the step is about
  std::string code;
  Prose note;                   // without its number, if it has exactly one
  std::optional<Piece> result;  // that number
};

/// The plot above the matrices; Pruning: below the heads of a model.
enum class Plot : std::uint8_t { None, Scores, Row, Entropy, Pruning };

/// What stands beside the words: the step's stage as a matrix, beside it what is held; the matrices of the
/// computation up to the step's last stage; every head's matrix of the step's stage; the weights and the
/// loss's gradients of weights and logits; every head of every text, or of every layer of a model; the keys
/// and values that a cache keeps; one cell with all its numbers; or of a lesson that trains the heads alone.
enum class StepView : std::uint8_t { Matrix, Walk, Heads, Gradients, Grid, Cache, Cell, Lab };
struct KnownView {
  std::string_view name, what;
};
inline constexpr std::array<KnownView, 8> known_views{
    {{"matrix", "the step's stage of the chosen head, and of what is held; the usual one"},
     {"walk", "queries, keys, values, scores … up to \"until\", as in Walk"},
     {"heads", "the step's stage of every head of the layer, small"},
     {"gradients",
      "A, ∂A and ∂M of the head: its weights, the loss's gradient of them and that of the logits"},
     {"grid",
      "the step's stage of every head of every text; of a model all heads of all layers, without the large "
      "one"},
     {"cache",
      "keys and values row by row: which are kept when the chosen token is new, what it reads, in bytes"},
     {"cell", "one query and one key number by number, their products, and the steps to the weight"},
     {"lab", "of a lesson that trains, in \"train\": the heads on the probe alone, without the curves"}}};

/// Lines of the file, from 1; 0 if the step does not have the field.
struct StepLines {
  int stage = 0, view = 0, from = 0, head = 0, cell = 0, held_cell = 0;
  int question = 0, row = 0, measure = 0;  // the block's first line; the lines of "row" and "measure"
};

struct Step {
  int line = 0;  // of its title in the file, from 1
  std::string title;
  std::size_t chapter = 0;
  std::vector<Paragraph> paragraphs;
  std::string change;              // JSON merge patch of the previous step's Document; empty = none
  std::string held;                // the same for B, the held side; empty = none
  std::vector<std::string> shown;  // controls that the step shows
  StepView view = StepView::Matrix;
  std::optional<std::string> from;   // the first stage of the walk; empty: the first that there is
  std::optional<std::string> stage;  // on screen
  std::optional<std::int64_t> head, query, key;
  std::optional<std::int64_t> held_query,
      held_key;                         // the cell of what is held; empty: that of the same tokens
  std::string title_shown, title_held;  // of the two matrices; empty: their difference in words
  std::optional<std::string> until;     // the last stage that map, table and code show; empty: all
  std::optional<std::int64_t> block;    // of a model: the head's layer
  std::string colour;                   // of the grid of a model's heads, see grid_colours; empty: patterns
  Plot plot = Plot::None;
  bool covers = true;        // an open question covers the held matrix, or without one the shown matrix
  bool covers_grid = false;  // and, for a model, all its heads
  bool covers_code = true, covers_plot = true;  // and the results of lines of code, and the plot
  TrainedStep trained;                          // of a lesson that trains
  std::optional<Question> question;
  std::optional<Expression> done;  // the condition that a learner is to reach
  std::string done_words;          // the task in words
  /// A change that reaches it, for the checker; JSON merge patch, or in a lesson that trains see
  /// reached_by(); may be empty.
  std::string done_by;
  std::string notes;               // of the speaker, as they are written
  std::vector<Prose> notes_prose;  // the same line by line, with computed numbers
  std::vector<CodeLine> numpy, pytorch;
  StepLines lines;
  JsonPlace change_place, held_place, done_by_place;
};

struct Lesson {
  bool of_model() const { return !model.empty(); }
  bool of_training() const { return !training.empty(); }
  std::string title, about;  // a sentence about what one will have learned
  /// The model that the lesson uses, see lesson_model.hpp; empty: Documents of its own.
  std::string model;
  /// The task that its model is trained on, a key of training::tasks(); empty: nothing is trained.
  std::string training;
  std::int64_t number = 0, minutes = 0;
  std::vector<std::int64_t> after;  // numbers of the lessons that it builds on
  std::string start;                // JSON of the Document before the first step's change
  JsonPlace start_place;
  std::vector<std::string> chapters;
  std::vector<Step> steps;
};

/// The controls that a step can show ("show: scaling, causal").
inline constexpr std::array<std::string_view, 21> control_names{
    "scaling",  "causal",  "padding", "temperature", "softcap",   "d_k",     "heads",
    "kv_heads", "head",    "seed",    "text",        "positions", "softmax", "zero_key",
    "mute",     "dropout", "block",   "norm",        "residual",  "mlp",     "activation"};

/// The controls of a lesson that trains.
inline constexpr std::array<std::string_view, 7> training_control_names{"play",  "branch", "seed", "rate",
                                                                        "scale", "mask",   "mute"};

/// The colourings of the grid of a model's heads ("colour: first").
inline constexpr std::array<std::string_view, 6> grid_colours{"pattern",   "entropy", "previous",
                                                              "induction", "first",   "effect"};

/// Throws Error: "NAME:12: sentence", with the line from 1. `name`: the text's name in messages.
Lesson parse_lesson(std::string_view text, const std::string& name);
/// Throws the same, and Error if the file cannot be read or is longer than a mebibyte.
Lesson read_lesson(const std::filesystem::path&);

/// Prose of one paragraph: **strong**, $formula$, {expression:style}, [words](anchor), and \ before a literal
/// sign. A line break becomes a space. `line`: the line where the text begins, from 1; 0: it is in no file.
/// Throws LineError with a sentence.
Prose parse_prose(std::string_view text, int line = 0);
/// A speaker's notes: only {expression:style} and \ have a meaning. Throws the same.
Prose parse_notes(std::string_view text, int line = 0);
/// Throws Error with a sentence that lists the possible anchors.
Anchor parse_anchor(std::string_view text);

/// The speaker's notes with their numbers, a line each; unknown numbers are "…".
std::string notes_said(const Step&, const LookUp&);

}  // namespace attnscope::lessons
