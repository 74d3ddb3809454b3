// app/pages/walk: the matrices of the walk, in the order in which they stand: what each shows, of which
// stage, and whose rows and columns it has. No places and no pixels in here.
#pragma once

#include <string>
#include <vector>

#include "app/pages/walk/arrangement.hpp"
#include "app/pages/walk/script.hpp"
#include "app/pages/walk/walk_state.hpp"
#include "app/scene/picture.hpp"

namespace attnscope::walk {

/// The columns of the joined heads, and the rows of W_O, that belong to a head.
struct HeadBlock {
  std::int64_t first = 0, count = 0;
};

/// What every part of the walk shares in one frame.
struct View {
  Scene& scene;
  Script script;
  int place;    // moves made
  float shown;  // how much of the last one can be seen
  std::int64_t b, h, kv;
  Cell cell;

  explicit View(Scene&);
  const Ui& ui() const { return scene.ui; }
  const LayerResult& result() const { return scene.result; }
  const Document& document() const { return scene.result.document; }
  int made(Stage stage) const { return script.made(stage, place); }
  /// Before the first move everything is in sight.
  bool is_overview() const { return place == 0; }
  /// The stages of the lower line as they stand now: those that were asked for, unless the one that is being
  /// made is not among them.
  WalkPart part() const;
  std::optional<Stage> current() const;
  /// 1 for what was reached, less for what is still to come.
  float light(Stage) const;
};

inline constexpr float dimmed = 0.42f;

/// Whose rows a matrix has.
enum class Rows { Tokens, Queries, Keys, Dimensions };

struct Panel {
  std::string id;  // for the robot: "walk Q"
  Stage stage;     // that fills it
  Rows rows;
  Unit unit;
  bool lower = false;        // in the second line
  std::string title = {};    // "W_Q": what follows "_" is an index
  std::string caption = {};  // what is computed
  std::string why = {};      // for the tooltip
  std::string sign = {};     // before it: "×", "=", "X ×", or "→" for an arrow
  bool begins = false;       // begins a group of its own
  Rgba hue = 0;              // of its name's bar; 0 = none
  ConstMatrixMap<float> values;
  std::int64_t first_column = 0, columns = 0;  // the part that belongs to the head
  ColourScale scale = {};
  bool labelled = false;  // tokens stand beside its rows

  std::int64_t row_count() const { return values.rows(); }
  bool is_plane() const { return unit == Unit::Keys; }
  bool is_parameter() const { return rows == Rows::Dimensions; }
};

/// What a stage is called where there is little room: "Scaled" instead of "Scaled logits".
std::string_view tight_name(const View&, Stage);

/// `sources` false: only from Q, K and V on, for windows without room.
std::vector<Panel> panels_of(const View&, bool sources);

/// The row of the panel in which the chosen cell's query or key is; -1 when it has none there. Parameters
/// have none.
std::int64_t query_row(const View&, const Panel&);
std::int64_t key_row(const View&, const Panel&);
std::string row_label(const View&, const Panel&, std::int64_t row);
/// The cell that a row and column of the panel stand for: what they do not say stays as it is. Empty for rows
/// that belong to no query or key.
std::optional<Cell> cell_of(const View&, const Panel&, std::int64_t row, std::int64_t column);

/// The dimension whose products are written out: the one that was clicked, or the one that says most.
std::int64_t head_dimension(const View&);
std::int64_t value_dimension(const View&);
std::int64_t model_dimension(const View&, Stage);
HeadBlock block_of(const View&);

}  // namespace attnscope::walk
