// app/pages/lessons/step: the parts of a lesson's page, each drawn from what they share in a frame.
#pragma once

#include <optional>
#include <string>

#include "app/lessons/lesson_numbers.hpp"
#include "app/pages/lessons/parts/prose_flow.hpp"
#include "app/pages/lessons/step/acts.hpp"
#include "app/pages/lessons/step/moments.hpp"

namespace attnscope {

/// The numbers that a step's prose speaks of: of its own head, of what is shown and what is held.
lessons::LookUp lesson_numbers(const Scene&, const lessons::Step&);
struct MapFrame;

struct LessonPage {
  Scene& scene;
  const lessons::OpenLesson& open;
  const lessons::Step& step;
  lessons::LookUp numbers;
  bool presented = false;                       // to a room
  bool covered = false;                         // what would answer the question
  std::optional<lessons::Anchor> pointed = {};  // a word under the mouse
  bool folds = false;                           // choices that are neither right nor chosen are a line each

  const Ui& ui() const { return scene.ui; }
  /// Whether numbers that would answer the question are hidden.
  bool hides() const { return covered && step.covers; }
  /// The same of what lines of code give, and of the plot above the matrices.
  bool hides_code() const { return covered && step.covers_code; }
  bool hides_plot() const { return covered && step.covers_plot; }
  LessonState& state() const { return lesson_of(scene.view); }
  LessonMoments& moments() const { return moments_of(state()); }
  const lessons::Lesson& lesson() const { return open.lesson; }
  /// How prose sees the screen. References this.
  ProseSight sight() const;
  /// The keycap of a key, its left end at x; returns its width.
  float keycap(float x, float y, std::string_view key) const;
};

/// What stands left: title, prose, question, task, keys. Fills page.pointed.
void draw_lesson_words(LessonPage&, const Box&);
/// The question's card in a column; returns the y below.
float draw_lesson_question(LessonPage&, float x, float y, float width);
/// Matrices of what is shown and held with what the step shows above them.
void draw_lesson_instrument(LessonPage&, const Box&);
/// What hides cells until R: opaque, nothing shines through before it is lifted.
void draw_lesson_lid(const LessonPage&, const Box& cells, Rgba edge);
/// A ring round what a word of the prose stands for, whose places are rows and keys of this map; −1: it has
/// none there.
void ring_lesson_word(const MapFrame&, const lessons::Anchor&);
/// The stage that the step looks at where it is one of vectors: a row of numbers for each token.
std::optional<Stage> lesson_vectors(const LessonPage&, const LayerResult&);
/// Its rows as numbers and colours, of one side.
void draw_lesson_vectors(LessonPage&, Scene& side, const Box&, Stage, bool is_b, bool covered);
/// In the right column, how the chosen token's vector goes through the block: mean, deviation and length of
/// each stage. Returns the y below.
float draw_lesson_stream(const LessonPage&, const Box& column, float y);
/// The picture of a lesson that plays with a model, or why it is not there.
void draw_lesson_model(LessonPage&, const Box&);
/// Curves, heads and the strip of time of a lesson that trains.
void draw_lesson_training(LessonPage&, const Box&);
/// In the right column, the chosen row of weights number by number, with those of the same keys in what is
/// held. Returns the y below.
float draw_lesson_row(const LessonPage&, const Box& column, float y);
/// The controls that the step names, in as many rows like this one as they need; returns the y below.
float draw_lesson_controls(LessonPage&, const Box& row);
void draw_lesson_plot(LessonPage&, const Box&);
/// The step in NumPy or PyTorch, the chosen row number by number, and the speaker's notes.
void draw_lesson_code(LessonPage&, const Box&);
/// Chapters and steps.
void draw_lesson_scrubber(LessonPage&, const Box&);

/// The row that the step is about: the one it names, else the chosen one.
std::int64_t lesson_row(const LessonPage&);

}  // namespace attnscope
