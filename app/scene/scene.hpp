// app/scene: the arguments of every view: the state to show, the Document to edit, the one selection.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/kit/ui/ui.hpp"
#include "app/kit/widgets/widgets.hpp"
#include "app/results/backends.hpp"
#include "app/results/head_maps.hpp"
#include "app/results/held_model.hpp"
#include "app/results/result_stats.hpp"
#include "app/results/tiles.hpp"
#include "app/scene/held.hpp"
#include "app/state/requests.hpp"
#include "app/state/selection.hpp"
#include "core/engine/live_engine.hpp"
#include "core/files/document/open.hpp"

namespace attnscope {

struct ViewState;  // app/state/window_state.hpp

struct Language;
class Page;  // app/shell/page.hpp
class TrainingRuns;
struct ModelReading;
namespace lessons {
struct ShownLessons;
}

/// The state on screen. Views read it; it does not change while a frame is drawn.
struct Shown {
  const Ui& ui;
  const Result& run;          // the last one without an error
  const LayerResult& result;  // the layer of it that is looked at
  const Selection& selected;
  ResultStats& stats;                     // computed on demand
  HeadMaps& head_maps;                    // of models' heads, computed on demand
  Tiles* tiles;                           // weights of a long result in the part on screen; null for others
  const HeldResult* held = nullptr;       // B; null: nothing is held
  Tiles* held_tiles = nullptr;            // of a long B; null for others
  const ModelReading* model = nullptr;    // the layer's model, as far as it is known; null: no model is open
  const HeldModel* held_model = nullptr;  // the model of B; null: none is held
  /// What is being computed of the model, and how far it is; empty: nothing.
  struct RunningTask {
    std::string_view what = {};
    double share = 0, seconds = 0;
  };
  RunningTask model_task = {};
  const lessons::ShownLessons* lesson = nullptr;      // null: this window has no lessons
  std::span<const std::unique_ptr<Page>> pages = {};  // of this window; empty: nowhere
  const std::vector<Example>& examples;
  const std::vector<Language>& languages;
  bool compact = false;
  bool edited = false;  // the Document has changed since it was opened

  std::int64_t sequence() const { return selected.sequence; }
  std::int64_t head() const { return selected.shown_head(); }
  Cell cell() const { return selected.shown_cell(); }
  /// Whether the mask hides the cell.
  bool is_masked(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) const {
    return !stats.rule().allows(b, h, query, key);
  }
};

/// The state that views write.
struct Edits {
  Document& document;    // may be newer than the result
  Selection& selection;  // becomes Shown::selected
  Selection& next;       // the hovers of this frame, shown in the next one
  ViewState& view;
  Requests& requests;
  LiveEngine& engine;
  Backends& backends;
  TrainingRuns* training = nullptr;  // the trainings; null: not available
};

/// The argument of every view. A view that only reads takes a Shown, and cannot edit.
struct Scene : Shown, Edits {};

/// The label of a row or column of the result: its token, "[pad]" beyond the end, its number without tokens,
/// "[learned]" and "[zero]" for keys without a token. Tokens are marked as own words.
std::string query_label(const LayerResult&, std::int64_t sequence, std::int64_t query);
std::string key_label(const LayerResult&, std::int64_t sequence, std::int64_t key);
/// The same; a token whose text occurs more than once in its sequence has its position, from 0, as subscript
/// digits: "la₅".
std::string placed_query_label(const LayerResult&, std::int64_t sequence, std::int64_t query);
std::string placed_key_label(const LayerResult&, std::int64_t sequence, std::int64_t key);
/// Whether that token is a word that is not in the model's vocabulary: its label is then the person's word.
bool is_unknown_query(const LayerResult&, std::int64_t sequence, std::int64_t query);
bool is_unknown_key(const LayerResult&, std::int64_t sequence, std::int64_t key);
/// A query's position among the tokens of its text: after the cached ones.
std::int64_t position_of(const LayerResult&, std::int64_t sequence, std::int64_t query);
/// Whether the keys are other tokens than the queries: cross-attention.
bool is_cross(const LayerResult&);
/// "previous token" if the head's weights confirm that role (see app/scene/head_words.hpp), else "head 3".
std::string role_name(const LayerResult&, std::int64_t head);
/// The first word of it in the language of the window: cut after translation, and marked as such.
std::string short_role_name(const Ui&, const LayerResult&, std::int64_t head);

/// Whether the chosen cell is hidden by hand. The toggle hides it or shows it again; keys without a token
/// cannot be hidden.
bool is_hidden_by_hand(const Scene&);
void toggle_hidden_cell(Scene&);

/// The same scene with the held state in place of the shown one: for views that draw A and B alike. Nothing
/// is edited through it.
Scene scene_of_held(Scene&);
/// With a selection of its own, for a B with other tokens or heads.
Scene scene_of_held(Scene&, Selection& selection, Selection& next);

/// Whether the layer on screen belongs to a model with two texts: the encoder's, and the decoder's.
bool has_two_texts(const Shown&);
/// Whether the token strip has a text field: the open input came as text.
bool has_text_field(const Scene&);

void draw_top_bar(Scene&, const Box&);
void draw_token_strip(Scene&, const Box&);
void draw_controls(Scene&, const Box&);
void draw_heads(Scene&, const Box&);
void draw_focus(Scene&, const Box&);
void draw_inspector(Scene&, const Box&);
void draw_signals(Scene&, const Box&);
/// The regions of a long result: controls and heads, the map, the position in it and the exact weights there.
void draw_long_controls(Scene&, const Box&);
void draw_long_map(Scene&, const Box&);
void draw_long_side(Scene&, const Box&);
/// A single line for a window that is too low for plots: their titles and the numbers they would mark.
void draw_folded_signals(Scene&, const Box&);
void draw_status(Scene&, const Box&);
/// What floats above the regions: keys and gestures, milliseconds per stage, the differences between
/// backends.
void draw_help(Scene&);
void draw_timings(Scene&, const Box& below);
void draw_parity(Scene&, const Box& below);

}  // namespace attnscope
