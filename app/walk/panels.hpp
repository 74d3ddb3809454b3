// app/walk: the matrices of the walk, from left to right: what each shows, of which stage, and what its
// rows and columns are. No places and no pixels in here.
#pragma once

#include <string>
#include <vector>

#include "app/scene/picture.hpp"
#include "app/walk/arrangement.hpp"
#include "app/walk/script.hpp"
#include "app/walk/walk_state.hpp"

namespace attnscope::walk {

/// A head's columns of the concatenated heads, which are its rows of W_O.
struct HeadBlock {
  std::int64_t first = 0, count = 0;
};

/// Shared by all parts of the walk in one frame.
struct View {
  Scene& scene;
  WalkState& state;
  Script script;
  int place;    // moves made
  float shown;  // how far the last one is faded in, 0 … 1
  std::int64_t b, h, kv;
  Cell cell;
  bool narrow;  // headings are short

  /// At the place of the page, or at another one.
  explicit View(Scene&);
  View(Scene&, WalkState&);
  const Ui& ui() const { return scene.ui; }
  const LayerResult& result() const { return scene.result; }
  const Document& document() const { return scene.result.document; }
  int made(Stage stage) const { return script.made(stage, place); }
  /// Before the first move everything is in sight.
  bool is_overview() const { return place == 0; }
  /// The stages of the lower line: those that were chosen, or, if the current stage is not among them, those
  /// that include it.
  WalkPart part() const;
  std::optional<Stage> current() const;
  /// 1 for a stage that was reached, less for a later one.
  float light(Stage) const;
};

inline constexpr float dimmed = 0.42f;

/// What a row of a matrix is.
enum class Rows { Tokens, Queries, Keys, Dimensions };

struct Panel {
  std::string id;  // for the robot: "walk Q"
  Stage stage;     // whose moves fill it
  Rows rows;
  Unit unit;
  bool lower = false;        // in the second line
  std::string title = {};    // "W_Q": what follows "_" is an index
  std::string caption = {};  // its formula
  std::string why = {};      // for the tooltip
  std::string sign = {};     // before it: "×", "=", "X ×", or "→" for an arrow
  bool begins = false;       // begins a group of its own
  Rgba hue = 0;              // of the bar beside its name; 0 = none
  ConstMatrixMap<float> values;
  std::int64_t first_column = 0, columns = 0;  // the head's part
  ColourScale scale = {};
  bool labelled = false;  // has row labels

  std::int64_t row_count() const { return values.rows(); }
  bool is_plane() const { return unit == Unit::Keys; }
  bool is_parameter() const { return rows == Rows::Dimensions; }
};

/// A stage's short name: "Scaled" instead of "Scaled logits".
std::string_view tight_name(const View&, Stage);

/// `sources` false: begins at Q, K and V, for small windows.
std::vector<Panel> panels_of(const View&, bool sources);

/// The panel's row of the chosen query or key; -1 if the panel has none, as parameters.
std::int64_t query_row(const View&, const Panel&);
std::int64_t key_row(const View&, const Panel&);
std::string row_label(const View&, const Panel&, std::int64_t row);
/// The cell (query, key) of a row and column of the panel; a query or key that they do not give stays the
/// chosen one. Empty for rows of no query or key.
std::optional<Cell> cell_of(const View&, const Panel&, std::int64_t row, std::int64_t column);

/// The dimension whose products are written out: the one that was clicked, or the one whose q·k product or
/// number is largest in magnitude.
std::int64_t head_dimension(const View&);
std::int64_t value_dimension(const View&);
std::int64_t model_dimension(const View&, Stage);
HeadBlock block_of(const View&);

}  // namespace attnscope::walk
