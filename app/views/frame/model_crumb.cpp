#include "app/views/frame/model_crumb.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "app/kit/ui/number_format.hpp"
#include "app/state/teaching/lesson_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/model/parts.hpp"
#include "app/views/tokens/crumb_lines.hpp"
#include "core/edits/within.hpp"

namespace attnscope {
namespace {

/// The number of presses of Esc that lead to the model; 0 if Esc leads elsewhere first.
int presses_of_escape(const Scene& scene) {
  if (lesson_of(scene.view).left) return 0;
  return scene.selection.locked ? 2 : 1;
}

void draw_way_back(Scene& scene, const CrumbLines& lines) {
  const Ui& ui = scene.ui;
  const ModelContext& within = scene.document.within.read();
  const std::string layer = layer_name(within.model->model->spec, within.of, within.block);
  const TextStyle style{type::tick, ui.theme.text2};
  const float gap = ui.px(6), cap = ui.text_width("Esc", type::tick);
  const int presses = presses_of_escape(scene);
  const float behind = gap + ui.text_width("›", type::tick) + gap + ui.text_width(layer, type::tick) + gap +
                       ui.text_width("↑", type::tick) + static_cast<float>(presses) * (gap + cap);
  const std::string name =
      ui.fitted(own(within.model->name), type::tick, Ink::Medium, std::max(ui.px(24), lines.room - behind));
  const float wide = ui.text_width(name, type::tick, Ink::Medium) + behind;
  const Box box{lines.x - ui.px(4), lines.above - ui.px(9), wide + ui.px(8), ui.px(18)};
  const Ui::Touch touch = ui.touch("Up to the model", box);
  if (touch.hovered) ui.fill(box, ui.theme.control_hover, ui.px(4));
  if (touch.focused) ui.frame(box, ui.theme.query, ui.px(2), ui.px(4));
  float x = lines.x;
  x += ui.text(x, lines.above, name, {type::tick, ui.theme.query, Ink::Medium}) + gap;
  x += ui.text(x, lines.above, "›", {type::tick, ui.theme.text3}) + gap;
  x += ui.text(x, lines.above, layer, style) + gap;
  x += ui.text(x, lines.above, "↑", {type::tick, ui.theme.query});
  for (int i = 0; i < presses; ++i)
    x += gap + ui.text(x + gap, lines.above, "Esc", {type::tick, ui.theme.text3});
  tooltip(ui, touch.hovered, box,
          {"Up to the model",
           {},
           "All heads of the model that this layer stands in. What is changed here is changed inside it.",
           presses == 0 ? std::string_view("F7") : std::string_view("Esc")});
  if (touch.clicked) scene.view.mode = Mode::Model;
}

/// The probabilities of a likely token in per cent; empty if it is not among the ten likeliest of that list.
struct LikelyToken {
  std::int64_t id = 0;
  std::optional<double> before, after;
};

std::optional<double> share_of(const std::vector<PredictedToken>& all, std::int64_t id) {
  const auto found = std::ranges::find(all, id, &PredictedToken::id);
  return found == all.end() ? std::nullopt : std::optional(100 * found->probability());
}

/// The likeliest token without the changes inside the model, and the likeliest now if it is another one.
std::vector<LikelyToken> likely_tokens(const ModelPrediction& prediction) {
  std::vector<LikelyToken> all;
  for (const auto* list : {&prediction.top_before, &prediction.top_after}) {
    if (list->empty() || list->front().id == not_a_token) continue;
    const std::int64_t id = list->front().id;
    if (std::ranges::find(all, id, &LikelyToken::id) != all.end()) continue;
    all.push_back({id, share_of(prediction.top_before, id), share_of(prediction.top_after, id)});
  }
  return all;
}

/// "92.3 → 17.2 %"; with one list of likely tokens "92.3 %". For a token that is not among the ten likeliest,
/// "<" and the last of those.
std::string words_of_share(const LikelyToken& token, const ModelPrediction& prediction, bool changed) {
  const auto share = [](std::optional<double> known, const std::vector<PredictedToken>& top) {
    return known ? fixed(*known, 1) : "< " + fixed(100 * top.back().probability(), 1);
  };
  const std::string after = share(token.after, prediction.top_after);
  return own_number((changed ? share(token.before, prediction.top_before) + " → " : std::string()) + after +
                    " %");
}

/// "0.213 → −0.105"
std::string words_of_logit(const ModelPrediction& prediction, bool changed) {
  const auto number = [](const std::vector<float>& logits) {
    return fixed(static_cast<double>(logits.front()), 3);
  };
  return own_number((changed ? number(prediction.before) + " → " : std::string()) + number(prediction.after));
}

void draw_likely_tokens(Scene& scene, const CrumbLines& lines) {
  const Ui& ui = scene.ui;
  const ModelReading& reading = *scene.model;
  const ModelPrediction* const prediction = reading.prediction.get();
  if (prediction == nullptr || prediction->row < 0 || prediction->top_after.empty() ||
      prediction->top_before.empty())
    return;
  const bool stale = !(reading.within == scene.document.within.read());
  const bool changed = !reading.within.changes.empty();
  const bool score = is_score(reading.within.model->model->spec);
  const float gap = ui.px(6), right = lines.x + lines.room;
  float x = lines.x;
  for (const LikelyToken& token : likely_tokens(*prediction)) {
    const std::string share =
        score ? words_of_logit(*prediction, changed) : words_of_share(token, *prediction, changed);
    const float numbers = ui.text_width(share, type::tick);
    const float room = std::min(ui.px(72), right - x - gap - numbers);
    if (room < ui.px(16)) break;
    const Rgba ink = stale ? ui.theme.disabled : ui.theme.text2;
    x += ui.text(x, lines.below, predicted_name(reading, token.id),
                 {type::tick, stale ? ui.theme.disabled : ui.theme.text1, Ink::Medium, Align::Left, room}) +
         gap;
    x += ui.text(x, lines.below, share, {type::tick, ink}) + ui.px(14);
  }
  const Box box{lines.x - ui.px(4), lines.below - ui.px(9), x - ui.px(14) - lines.x + ui.px(8), ui.px(18)};
  const Ui::Touch touch = ui.touch("Prediction of the model", box, false);
  const std::string far = changed && !score
                              ? "KL " +
                                    (prediction->divergence > 0 && prediction->divergence < 0.005
                                         ? tight(prediction->divergence)
                                         : fixed(prediction->divergence, 2)) +
                                    " nats"
                              : std::string();
  tooltip(ui, touch.hovered, box,
          {prediction_title(reading.within.model->model->spec), far,
           changed ? std::string_view("What the model predicts: without what is changed inside it → with it.")
                   : std::string_view("What the model predicts. It follows what is changed in its layers."),
           "F7"});
}

}  // namespace

void draw_model_crumb(Scene& scene, const Box& strip) {
  const ModelContext& within = scene.document.within.read();
  if (scene.view.mode != Mode::Explore || scene.model == nullptr || !within || within.block < 0) return;
  if (scene.ui.is_figure()) return;
  const CrumbLines lines = crumb_lines(scene, strip);
  draw_way_back(scene, lines);
  // While right-to-left text is typed, its letters are drawn below the field.
  const SentenceState& sentence = scene.view.keyboard.sentence;
  const bool is_taken =
      sentence.active && typed_texts(scene.document) > 0 && scene.ui.is_shaped(typed_text(scene.document, 0));
  if (!is_taken) draw_likely_tokens(scene, lines);
}

}  // namespace attnscope
