// app/views/model: what several pages draw of a model: a head, large, the prediction, what pointing at a head
// does, titles of regions.
#pragma once

#include <functional>
#include <string_view>

#include "app/scene/picture.hpp"
#include "app/scene/scene.hpp"
#include "app/views/controls/column.hpp"
#include "app/views/model/facts.hpp"
#include "core/edits/model.hpp"

namespace attnscope {

void draw_model_head(Scene&, const Box& region);
/// Its title and map alone.
void draw_model_head_map(Scene&, const Box& region);
/// Its map alone, with labels; without `all_names` with fewer, as HeatMapStyle says.
void draw_model_head_picture(Scene&, const Box& area, bool all_names = true);
/// Whether the layer on screen is the block of the head that is looked at, run with the same tokens.
bool is_layer_on_screen(Scene&);
void draw_model_prediction(Scene&, const Box& region);
/// What the model predicts, as the title of its region: "Next token".
std::string_view prediction_title(const ModelSpec&);
/// One number for the whole input (a regression, a choice): its softmax is 1 whatever the number.
bool is_score(const ModelSpec&);

/// The head becomes the one that is looked at, and its block the layer on screen.
void look_at(Scene&, const ModelHead&);
/// What the mouse on a head, or a click on it, does in every picture of heads.
void point_at_head(Scene&, const ModelHead&);
void click_on_head(Scene&, const ModelHead&);
/// A picture of heads has the keyboard, and the item drawn last is it: calls `move` for each arrow pressed,
/// with whole steps of −1, 0, 1, and the keyboard stays there.
void take_arrow_keys(const std::function<void(int right, int down)>& move);
/// What the edit makes of the Document's model, which it is given; what it refuses is said in a message.
void change_within(Scene&, const std::function<ModelContext(ModelContext)>& edit);
/// The layer that is looked at, in Explore with all its controls.
void open_in_explore(Scene&);

/// "picture | norms": which of the two stands in the region of the residual stream. Right end of a title's
/// line, from `right` to the left; returns where it begins.
float draw_picture_choice(Scene&, float right, float y);
/// Title at the left of a region's first line, a note behind it as far as `right`. Returns the note's end.
float draw_region_title(const Ui&, const Box& region, std::string_view title, std::string_view note,
                        float right);
/// "0 ▬ 1", ending at `right`: the scale from its low end up to `to`. Returns where it begins.
float draw_small_ramp(const Ui&, const char* place, float right, float y, const ColourScale&, float to,
                      std::string_view low, std::string_view high, float width);

/// A row of the controls with a name at its left; where what is chosen stands.
Box choice_row(Column&, std::string_view name);
inline bool has_room(const Box& box) { return box.w >= 8 && box.h >= 8; }

/// The line of a region's title, and the padding at its left and right.
inline float title_height(const Ui& ui) { return ui.px(44); }
inline float region_pad(const Scene& scene) { return scene.ui.px(scene.compact ? 16 : 20); }

}  // namespace attnscope
