// app/scene: what every view is given: the picture to show, the Document to edit, the one selection.
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
#include "app/state/view_state.hpp"
#include "core/engine/live_engine.hpp"
#include "core/files/document/open.hpp"

namespace attnscope {

struct Language;
class Page;  // app/shell/page.hpp
class TrainingRuns;
struct ModelReading;
namespace lessons {
struct LessonSight;
}

/// What is on screen. Views read it; none of it changes while a frame is drawn.
struct Shown {
  const Ui& ui;
  const Result& run;          // the last good one
  const LayerResult& result;  // of it, the layer that is looked at
  const Selection& selected;
  ResultStats& stats;               // counts when it is asked
  HeadMaps& head_maps;              // of heads of models, made when it is asked
  Tiles* tiles;                     // weights of a long result, where they are looked at
  const HeldSight* held = nullptr;  // B; null: nothing is held
  Tiles* held_tiles = nullptr;      // of a long B; null where there is none
  const ModelReading* model =
      nullptr;  // the model that the layer stands in, as far as it is known; null: none is open
  const HeldModel* held_model = nullptr;  // the model that B stands in; null: none is held
  /// What is worked out of the model now, and how far; empty: nothing.
  struct RunningTask {
    std::string_view what = {};
    double share = 0, seconds = 0;
  };
  RunningTask model_task = {};
  const lessons::LessonSight* lesson = nullptr;       // what there is of lessons; null: nowhere
  std::span<const std::unique_ptr<Page>> pages = {};  // of this window; empty: nowhere
  const std::vector<Example>& examples;
  const std::vector<Language>& languages;
  bool compact = false;
  bool edited = false;  // the Document is no longer as it was opened

  std::int64_t sequence() const { return selected.sequence; }
  std::int64_t head() const { return selected.shown_head(); }
  Cell cell() const { return selected.shown_cell(); }
  /// Whether the mask hides the cell.
  bool is_masked(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) const {
    return !stats.rule().allows(b, h, query, key);
  }
};

/// What views write.
struct Edits {
  Document& document;    // may be ahead of the result
  Selection& selection;  // what Shown::selected reads
  Selection& next;       // hovers seen in this frame, for the next one
  ViewState& view;
  Requests& requests;
  LiveEngine& engine;
  Backends& backends;
  TrainingRuns* training = nullptr;  // what trains; null: nowhere
};

/// What every view is given. A view that only reads the picture takes a Shown, and cannot edit.
struct Scene : Shown, Edits {};

/// The label of a row or column of the result: its token, "[pad]" beyond the end, its number where there are
/// no tokens, "[learned]" and "[zero]" for keys that belong to none. Tokens are marked as own words.
std::string query_label(const LayerResult&, std::int64_t sequence, std::int64_t query);
std::string key_label(const LayerResult&, std::int64_t sequence, std::int64_t key);
/// The same; a token whose text stands more than once in its sequence has its place, from 0, in small digits
/// below the line: "la₅".
std::string placed_query_label(const LayerResult&, std::int64_t sequence, std::int64_t query);
std::string placed_key_label(const LayerResult&, std::int64_t sequence, std::int64_t key);
/// Whether that token is a word that the model's vocabulary does not have: its label is the person's word.
bool is_unknown_query(const LayerResult&, std::int64_t sequence, std::int64_t query);
bool is_unknown_key(const LayerResult&, std::int64_t sequence, std::int64_t key);
/// Where a query stands among the tokens of its text: behind the cache.
std::int64_t position_of(const LayerResult&, std::int64_t sequence, std::int64_t query);
/// Whether keys are other tokens than those the queries come from: cross-attention.
bool is_cross(const LayerResult&);
/// "previous token" while the head's weights bear that name (see app/scene/head_words.hpp), "head 3" else.
std::string role_name(const LayerResult&, std::int64_t head);
/// Its first word in the language of the window: cut after it is translated, and marked as such.
std::string short_role_name(const Ui&, const LayerResult&, std::int64_t head);

/// Whether the chosen cell is hidden by hand, and hiding it or showing it again; keys that belong to no token
/// cannot be hidden.
bool is_hidden_by_hand(const Scene&);
void toggle_hidden_cell(Scene&);

/// The same scene, seen as it is held: for views that draw A and B alike. Nothing is edited through it.
Scene scene_of_held(Scene&);
/// With a selection of its own, where B has other tokens or heads.
Scene scene_of_held(Scene&, Selection& selection, Selection& next);

/// Whether a layer of a model with two texts is shown: an encoder's, and what its decoder says.
bool has_two_texts(const Shown&);
/// Whether the token strip has a field to type into: what is open came as text.
bool has_text_field(const Scene&);
/// The next widget that is drawn gets the keyboard, with a ring.
void take_keyboard(KeyboardState&);

void draw_top_bar(Scene&, const Box&);
void draw_token_strip(Scene&, const Box&);
void draw_controls(Scene&, const Box&);
void draw_heads(Scene&, const Box&);
void draw_focus(Scene&, const Box&);
void draw_inspector(Scene&, const Box&);
void draw_signals(Scene&, const Box&);
/// The regions of a long result: controls and heads, the map, where one is and what is there exactly.
void draw_long_controls(Scene&, const Box&);
void draw_long_map(Scene&, const Box&);
void draw_long_side(Scene&, const Box&);
/// A line of the plots' titles and the numbers they would mark: where the window is too low for plots.
void draw_folded_signals(Scene&, const Box&);
void draw_status(Scene&, const Box&);
/// What floats above the regions: keys and gestures, milliseconds per stage, how far backends differ.
void draw_help(Scene&);
void draw_timings(Scene&, const Box& below);
void draw_parity(Scene&, const Box& below);

}  // namespace attnscope
