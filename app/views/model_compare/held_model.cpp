#include "app/views/model_compare/held_model.hpp"

#include <algorithm>

#include "app/state/model_look.hpp"
#include "app/state/watch/watch_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/held/held_chip.hpp"
#include "core/edits/model.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

std::string words_of_changes(const ModelContext& within) {
  const std::vector<edit::ChangeWords> all = edit::list_of_changes(within);
  if (all.empty()) return "none";
  std::string words = all.front().line();
  if (all.size() > 1) words += "  +" + std::to_string(all.size() - 1);
  return words;
}

std::string in_marks(const std::string& text) { return "“" + own(text) + "”"; }

std::string words_of_text(const ModelText& text) {
  if (!text.image.empty()) return own(text.image.filename().string());
  std::string words = in_marks(text.text);
  if (text.pair) words += " | " + in_marks(*text.pair);
  if (text.decoder_text) words += " → " + in_marks(*text.decoder_text);
  if (!text.continued.empty()) words += " +" + std::to_string(text.continued.size());
  return words;
}

/// The text from the first word that differs from `other` on; empty if that is not shorter.
std::string end_of_text(const ModelText& text, const ModelText& other) {
  if (!text.image.empty() || text.text == other.text) return {};
  const auto same = std::ranges::mismatch(text.text, other.text).in1 - text.text.begin();
  if (same == 0) return {};
  const std::size_t space = text.text.rfind(' ', static_cast<std::size_t>(same) - 1);
  return space == std::string::npos ? std::string() : "“" + own("…" + text.text.substr(space)) + "”";
}

}  // namespace

std::vector<HeldDifference> differences_of_held(const ModelContext& a, const ModelContext& b) {
  std::vector<HeldDifference> all;
  if (!(a.input == b.input))
    all.push_back({"text", words_of_text(b.input), words_of_text(a.input), "another text",
                   end_of_text(b.input, a.input)});
  if (a.model != b.model && a.model && b.model) {
    const std::string name_a = own(a.model->name), name_b = own(b.model->name);
    if (name_a != name_b) all.push_back({"model", name_b, name_a, name_b});
    if (a.model->storage != b.model->storage)
      all.push_back({"stored as", own(b.model->storage), own(a.model->storage), own(b.model->storage)});
    if (name_a == name_b && a.model->storage == b.model->storage)
      all.push_back({"file", own(b.model->path.filename().string()), own(a.model->path.filename().string()),
                     "another file"});
  }
  if (!(a.changes == b.changes))
    all.push_back({"changes", words_of_changes(b), words_of_changes(a),
                   b.changes.empty() ? "without changes" : words_of_changes(b)});
  return all;
}

float draw_held_model_chip(Scene& scene, float left, float right, float y) {
  if (scene.held_model == nullptr || scene.view.mode != Mode::Model || scene.ui.is_figure()) return left;
  const std::vector<HeldDifference> differing =
      differences_of_held(scene.document.within.read(), scene.held_model->within);
  HeldWords words{.what = differing.empty() ? "as now" : differing.front().brief, .more = {}, .all = {}};
  if (differing.size() > 1) words.more = " · +" + std::to_string(differing.size() - 1);
  constexpr std::string_view between = "  ·  ";
  for (const HeldDifference& difference : differing)
    words.all += std::string(between) + inner(difference.name) + ":  " + difference.b;
  if (!words.all.empty()) words.all.erase(0, between.size());
  bool pressed = false;
  const float end = draw_held_words(scene, {left, y, right - left, 0}, words, pressed);
  if (pressed) model_look_of(scene.view).compare_heads();
  return end;
}

}  // namespace attnscope
