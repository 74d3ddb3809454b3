// app/views/model: parts that several pages of a model share: an enlarged head, the prediction, the effects
// of pointing at a head, titles of regions.
#pragma once

#include <functional>
#include <string_view>

#include "app/scene/picture.hpp"
#include "app/scene/scene.hpp"
#include "app/state/regions/layout.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/model/facts.hpp"
#include "core/edits/model.hpp"

namespace attnscope {

void draw_model_head(Scene&, const Box& region);
/// Only its title and map.
void draw_model_head_map(Scene&, const Box& region);
/// Only its map, with labels; without `all_names` with fewer, see HeatMapStyle.
void draw_model_head_picture(Scene&, const Box& area, bool all_names = true);
/// Whether the layer on screen is the block of the locked head, run with the same tokens.
bool is_layer_on_screen(Scene&);
void draw_model_prediction(Scene&, const Box& region);
/// The title of the prediction's region: "Next token".
std::string_view prediction_title(const ModelSpec&);
/// The model gives one number for the whole input (a regression, a choice), whose softmax is always 1.
bool is_score(const ModelSpec&);

/// Locks the head; its block becomes the layer on screen.
void look_at(Scene&, const ModelHead&);
/// The effects of the mouse on a head, and of a click on it, in every picture of heads.
void point_at_head(Scene&, const ModelHead&);
void click_on_head(Scene&, const ModelHead&);
/// The last drawn item, a picture of heads, has the keyboard: calls `move` for each pressed arrow, with whole
/// steps of −1, 0, 1, and keeps the keyboard there.
void take_arrow_keys(const std::function<void(int right, int down)>& move);
/// Applies `edit` to the model of the Document; an error becomes a notice.
void change_within(Scene&, const std::function<ModelContext(ModelContext)>& edit);
/// Opens the layer that is looked at in Explore with all its controls.
void open_in_explore(Scene&);

/// "picture | norms": the choice of what the region of the residual stream shows. In a title's line, to the
/// left of `right`; returns its left end.
float draw_picture_choice(Scene&, float right, float y);
/// The title at the left of a region's first line, followed by a note that ends at `right` at most. Returns
/// the note's end.
float draw_region_title(const Ui&, const Box& region, std::string_view title, std::string_view note,
                        float right);
/// "0 ▬ 1", ending at `right`: the scale from its low end up to `to`. Returns its left end.
float draw_small_ramp(const Ui&, const char* place, float right, float y, const ColourScale&, float to,
                      std::string_view low, std::string_view high, float width);

/// A row of the controls with a name at its left; returns the box of the choice.
Box choice_row(Column&, std::string_view name);

/// The height of the line of a region's title, and the padding at its left and right.
inline float title_height(const Ui& ui) { return ui.px(44); }
inline float region_pad(const Scene& scene) { return scene.ui.px(scene.compact ? 16 : 20); }

}  // namespace attnscope
