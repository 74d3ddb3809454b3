// app/lessons: a step of a lesson as texts and states, as on the page of lessons, for output outside of the
// window. Texts are in English or the lesson's own words, with marks (own_words.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/state/selection.hpp"

namespace attnscope {

/// A piece of prose in one style.
struct ToldPiece {
  enum class Kind : std::uint8_t { Plain, Strong, Formula, Number };
  enum class Hue : std::uint8_t { None, Query, Key, Value, SideB };  // the colour of what a word refers to
  Kind kind = Kind::Plain;
  std::string text;  // numbers are computed values
  int level = 0;     // of a formula: +1 raised, -1 lowered
  Hue hue = Hue::None;
};
using ToldProse = std::vector<ToldPiece>;

struct ToldParagraph {
  ToldProse prose;
  bool item = false;  // of a list
};

struct ToldChoice {
  ToldProse words, why;  // why: why it is wrong; may be empty
  bool right = false;
};

struct ToldDrag {
  double low = 0, high = 1, tolerance = 0;
  std::optional<double> answer;  // empty: it cannot be computed
  std::string far, near;         // shown after the reveal
};

struct ToldQuestion {
  ToldProse words, answer;
  std::vector<ToldChoice> choices;  // in the order on the screen; empty: no choices
  std::optional<ToldDrag> drag;
  bool is_sketched = false;  // a row or a curve
};

struct ToldCodeLine {
  bool marked = false, hidden = false;  // hidden: its result would answer the question
  std::string code, result;
  ToldProse note;
};

/// A matrix of weights of a layer that is in no model.
struct ToldSide {
  std::string title;
  bool is_b = false, covered = false;  // covered: by the lid
  std::int64_t head = 0;
  Cell cell;
};

struct ToldStep {
  std::string title, chapter;
  std::vector<ToldParagraph> paragraphs;
  std::optional<ToldQuestion> question;
  std::string task;  // the step's task
  std::vector<ToldCodeLine> numpy, pytorch;
  std::vector<ToldSide> sides;  // empty: the picture alone shows the layer
  double plot_shape = 0;  // width / height of the picture down to the end of the plot above them; 0: no plot
  bool covered = false;   // the picture hides the answer
};

}  // namespace attnscope
