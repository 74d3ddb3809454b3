#include "app/pages/model/many_texts/many_texts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/paths.hpp"
#include "app/kit/table_view.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/kit/widgets/modal_card.hpp"
#include "app/pages/model/many_texts/spread_rows.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/results/many_texts.hpp"
#include "app/state/files_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/atlas/effect_words.hpp"
#include "app/views/atlas/head_numbers.hpp"
#include "app/views/model/facts.hpp"
#include "app/views/model/list_problem.hpp"

namespace attnscope {
namespace {

constexpr const char* many_texts_popup = "Many texts";
constexpr std::size_t most_listed_texts = 7, most_spread_rows = 8;  // in sight

struct ListedScore {
  TextMeasure measure;
  std::string_view name;
};
constexpr std::array<ListedScore, 5> listed_scores{{{TextMeasure::Previous, "previous"},
                                                    {TextMeasure::Duplicate, "duplicate"},
                                                    {TextMeasure::Induction, "induction"},
                                                    {TextMeasure::First, "first"},
                                                    {TextMeasure::Entropy, "entropy"}}};

struct ListedEffect {
  TextMeasure measure;
  std::string_view name;
  Tip tip;
};
/// Two of the Atlas' measures, with its names.
const std::array<ListedEffect, 2>& listed_effects() {
  const auto listed = [](TextMeasure measure, EffectMeasure of) {
    const EffectWords& words = effect_words(of);
    return ListedEffect{measure, words.name, words.tip};
  };
  static const std::array all{listed(TextMeasure::TopLogit, EffectMeasure::Logit),
                              listed(TextMeasure::Divergence, EffectMeasure::Divergence)};
  return all;
}

struct ListedPatch {
  PatchMeasure measure;
  std::string_view name;
  Tip tip;
};
constexpr std::array<ListedPatch, patch_measure_count> listed_patches{
    {{PatchMeasure::Share,
      "share",
      {"Share",
       "logits brought back / (clean − corrupted)",
       "What of the clean text's answer comes back when the corrupted text is run with this head of the "
       "clean one.",
       {}}},
     {PatchMeasure::Effect,
      "logits",
      {"Logits brought back",
       "patched − corrupted",
       "Of the logit of the answer less that of the other one.",
       {}}},
     {PatchMeasure::DirectEffect,
      "estimate",
      {"Estimate",
       {},
       "What the head itself adds to the answer in the clean text more than in the corrupted one.",
       {}}}}};

class ManyTextsCard {
 public:
  ManyTextsCard(Scene& scene, const Box& card)
      : scene_(scene),
        ui_(scene.ui),
        state_(model_state_of(scene.view).many),
        within_(scene.document.within.read()),
        card_(card),
        x_(card.x + ui_.px(20)),
        width_(card.w - ui_.px(40)),
        y_(card.y + ui_.px(18)) {}

  void draw() {
    ui_.text(x_, y_ + ui_.px(10), many_texts_popup, {type::body, ui_.theme.text1, Ink::Semibold});
    // The file's texts get special tokens even if the sentence has none.
    const std::string_view special = within_.input.special ? "" : "  ·  with special tokens";
    ui_.text(x_ + width_, y_ + ui_.px(10),
             own(within_.model->name) + "  ·  without changes" + std::string(special),
             {type::label, ui_.theme.text2, Ink::Regular, Align::Right, ui_.px(360)});
    y_ += ui_.px(30);
    draw_file();
    draw_choice();
    draw_found();
    const float wide = width_of("Close");
    const bool by_key = !state_.opens && ImGui::IsKeyPressed(ImGuiKey_Escape, false);
    state_.opens = false;
    const Box box{x_ + width_ - wide, card_.bottom() - ui_.px(44), wide, ui_.px(30)};
    if (button(ui_, "Close", box, {"Close", {}, "What runs is stopped; what is there stays.", "Esc"}) ||
        by_key)
      close();
  }

 private:
  float width_of(const char* label) const {
    return ui_.text_width(label, type::label, Ink::Medium) + ui_.px(32);
  }

  void close() {
    state_.open = false;
    if (state_.texts) state_.texts->stop();
    ImGui::CloseCurrentPopup();
  }

  std::filesystem::path folder() const {
    const std::filesystem::path& shown = scene_.view.files->dialog.folder;
    return shown.empty() ? "." : shown;
  }

  void draw_file() {
    if (state_.opens) ImGui::SetKeyboardFocusHere();
    if (path_field(ui_, "##Texts file", {x_, y_, width_, ui_.px(30)}, state_.file,
                   state_.kind == ManyTextsKind::Patching
                       ? "a file with a clean text, a tab and a corrupted text in each line"
                       : "a file with a text in each line",
                   folder()))
      measure();
    y_ += ui_.px(38);
  }

  void draw_choice() {
    constexpr std::array<std::string_view, 4> kinds{"Head scores", "Effects", "Patching", "Similarity"};
    const float wide = segments_width(ui_, kinds, type::tick) + ui_.px(24);
    if (const auto chosen = segments(ui_, "##Many what", {x_, y_, wide, ui_.px(28)}, kinds,
                                     static_cast<int>(state_.kind), {}, {.text_size = type::tick}))
      state_.kind = static_cast<ManyTextsKind>(*chosen);
    const float left = x_ + wide + ui_.px(16);
    const Box rest{left, y_, x_ + width_ - left, ui_.px(28)};
    if (is_running(state_.texts)) {
      const HowFar far{.what = "texts", .known = state_.texts->done(), .all = state_.texts->total()};
      if (draw_progress_row(ui_, rest, far) == ProgressPress::Cancel) state_.texts->stop();
    } else if (button(ui_, "Measure", {rest.x, rest.y, width_of("Measure"), rest.h},
                      {"Measure",
                       {},
                       "Each line of the file runs through the model as a text, without what is changed "
                       "inside it.",
                       {}})) {
      measure();
    }
    y_ += ui_.px(42);
  }

  void measure() {
    const std::filesystem::path typed = typed_path(state_.file);
    if (typed.empty()) return;
    if (!state_.texts) state_.texts = std::make_shared<ManyTexts>();
    state_.texts->begin({within_.model, (folder() / typed).lexically_normal(), state_.kind},
                        scene_.backends.pool());
  }

  void draw_found() {
    const bool is_here = state_.texts && state_.texts->asked().model == within_.model;  // not another model's
    const ManyTextsReading* const reading = is_here ? state_.texts->reading() : nullptr;
    if (reading != nullptr && state_.texts->asked().kind == state_.kind) return draw_reading(*reading);
    const std::string problem = is_here ? state_.texts->problem() : std::string();
    if (!problem.empty()) return say(list_problem(problem, *within_.model), ui_.theme.text1);
    if (!is_running(state_.texts)) say_what_comes();
  }

  void say_what_comes() {
    switch (state_.kind) {
      case ManyTextsKind::Scores:
        return say("Mean and standard deviation of every head's scores over the texts.", ui_.theme.text2);
      case ManyTextsKind::Effects:
        return say("Mean and standard deviation over the texts of what zeroing each head does.",
                   ui_.theme.text2);
      case ManyTextsKind::Patching:
        return say("Mean and standard deviation over pairs of texts of what each head brings back.",
                   ui_.theme.text2);
      case ManyTextsKind::Similarity: break;
    }
    say("The cosine of each two texts' vectors.", ui_.theme.text2);
  }

  void draw_reading(const ManyTextsReading& reading) {
    switch (state_.kind) {
      case ManyTextsKind::Scores: return draw_scores(reading);
      case ManyTextsKind::Effects: return draw_effects(reading);
      case ManyTextsKind::Patching: return draw_patching(reading);
      case ManyTextsKind::Similarity: break;
    }
    draw_similarity(reading);
  }

  void say(const std::string& words, Rgba ink) {
    y_ += ui_.paragraph(x_, y_, width_, words, {type::tick, ink}) + ui_.px(6);
  }

  /// Says what of the file was not read or not counted.
  void say_left_out(const TextList& list, std::size_t untold, std::size_t not_numbers) {
    if (!list.left_out.empty())
      say(fmt::format("Empty lines that are left out: {:d}.", list.left_out.size()), ui_.theme.text2);
    if (untold > 0)
      say(fmt::format("Texts with characters that have no token: {:d}.", untold), ui_.theme.text2);
    if (not_numbers > 0)
      say(fmt::format("Texts on which the model's numbers are not finite, counted in no mean: {:d}.",
                      not_numbers),
          ui_.theme.text1);
  }

  void draw_scores(const ManyTextsReading& reading) {
    std::array<std::string_view, listed_scores.size()> names;
    std::ranges::transform(listed_scores, names.begin(), &ListedScore::name);
    const auto chosen = segments(ui_, "##Many score", {x_, y_, width_, ui_.px(28)}, names, state_.score, {},
                                 {.text_size = type::tick});
    state_.score = chosen.value_or(state_.score);
    y_ += ui_.px(36);
    draw_heads(reading, listed_scores[static_cast<std::size_t>(state_.score)].measure);
  }

  /// The choice among the measures of one kind.
  template <class Listed, std::size_t n>
  int choose_measure(const char* label, const std::array<Listed, n>& all, std::size_t count, int chosen) {
    std::array<std::string_view, n> names;
    std::array<Tip, n> tips;
    std::ranges::transform(all, names.begin(), &Listed::name);
    std::ranges::transform(all, tips.begin(), &Listed::tip);
    const auto picked = segments(ui_, label, {x_, y_, width_, ui_.px(28)}, {names.data(), count}, chosen,
                                 {tips.data(), count}, {.text_size = type::tick});
    y_ += ui_.px(36);
    return picked.value_or(chosen);
  }

  void draw_effects(const ManyTextsReading& reading) {
    state_.effect = static_cast<std::uint8_t>(
        choose_measure("##Many effect", listed_effects(), listed_effects().size(), state_.effect));
    draw_heads(reading, listed_effects()[state_.effect].measure);
  }

  void draw_heads(const ManyTextsReading& reading, TextMeasure measure) {
    const HeadSpreads& found = reading.heads;
    std::vector<SpreadLine> lines;
    for (const HeadSpread& head : found.heads)
      if (found.has(head, measure)) lines.push_back({{head.of, head.block, head.head}, &head.at(measure)});
    draw_lines(std::move(lines), {.of_scores = !is_effect(measure)});
    say_left_out(reading.list, found.untold.size(), found.not_numbers.size());
  }

  void draw_lines(std::vector<SpreadLine> lines, const SpreadColumns& columns) {
    const Table table = spread_table(within_.model->model->spec, std::move(lines), columns);
    const float row = 22, head = 27, list_width = width_ - ui_.px(12);  // the scroll bar is beside it
    const float rows = static_cast<float>(std::min(table.rows, most_spread_rows));
    const TableLook look{
        .label = "spread of", .first_width = 0.2f * list_width / ui_.scale(), .row_height = row};
    const TableTouch touch =
        draw_table(ui_, {x_, y_, list_width, ui_.px(head + row * rows)}, table, look, state_.order);
    if (!touch.copied.empty()) scene_.requests.copy = touch.copied;
    y_ += ui_.px(head + row * rows + 8);
  }

  /// Shares of patching, and below them the answers of both texts, to whose difference the shares refer.
  void draw_patching(const ManyTextsReading& reading) {
    const PatchSpreads& found = reading.patching;
    const std::size_t count = found.measured.size();  // without an estimate, which is last, in some models
    const int chosen = std::min<int>(state_.patched, static_cast<int>(count) - 1);
    state_.patched = static_cast<std::uint8_t>(choose_measure("##Many patch", listed_patches, count, chosen));
    std::vector<SpreadLine> lines;
    for (const HeadPatchSpread& head : found.heads)
      lines.push_back(
          {{found.of, head.head.block, head.head.head}, &head.at(listed_patches[state_.patched].measure)});
    draw_lines(std::move(lines), {.of_scores = false, .counted = "pairs"});
    const auto known = [](double value) { return own_number(known_number(value, 3)); };
    say(fmt::format("The logit of the answer less that of the other: clean {} ± {}, corrupted {} ± {}.",
                    known(found.clean.mean()), known(found.clean.deviation()), known(found.corrupted.mean()),
                    known(found.corrupted.deviation())),
        ui_.theme.text2);
    if (!found.same_answer.empty())
      say(fmt::format("Pairs without a share, since both texts give the same answer: {:d}.",
                      found.same_answer.size()),
          ui_.theme.text2);
    say_left_out(reading.list, found.untold.size(), found.not_numbers.size());
  }

  void draw_similarity(const ManyTextsReading& reading) {
    const std::size_t count = std::min(reading.list.texts.size(), most_listed_texts);
    const float cell = ui_.px(48), left = x_ + width_ - cell * static_cast<float>(count);
    const TextStyle title{type::tick, ui_.theme.text3, Ink::Regular, Align::Right};
    for (std::size_t i = 0; i < count; ++i)
      ui_.text(left + cell * static_cast<float>(i + 1), y_ + ui_.px(8), grouped(reading.list.texts[i].line),
               title);
    y_ += ui_.px(22);
    for (std::size_t i = 0; i < count; ++i) {
      const ListedText& text = reading.list.texts[i];
      const float y = y_ + ui_.px(10);
      ui_.text(x_ + ui_.px(24), y, grouped(text.line), title);
      ui_.text(x_ + ui_.px(32), y, own(text.text),
               {type::label, ui_.theme.text1, Ink::Regular, Align::Left,
                std::max(ui_.px(16), left - x_ - ui_.px(40))});
      for (std::size_t j = 0; j < count; ++j)
        ui_.text(left + cell * static_cast<float>(j + 1), y,
                 known_number(reading.similar.cosine.matrix()(static_cast<Eigen::Index>(i),
                                                              static_cast<Eigen::Index>(j)),
                              3),
                 {type::label, i == j ? ui_.theme.text3 : ui_.theme.text1, Ink::Regular, Align::Right});
      y_ += ui_.px(22);
    }
    y_ += ui_.px(6);
    draw_pairs(reading, count);
  }

  /// Statistics of all pairs, with which to compare a cosine, and how the vectors were made.
  void draw_pairs(const ManyTextsReading& reading, std::size_t shown) {
    const Spread& pairs = reading.similar.pairs;
    if (pairs.count() == 1)
      say(fmt::format("One pair: {}.", own_number(known_number(pairs.mean(), 3))), ui_.theme.text2);
    else
      say(fmt::format(
              "All {:d} pairs: mean {}, deviation {}, least {}, largest {}.", pairs.count(),
              own_number(known_number(pairs.mean(), 3)), own_number(known_number(pairs.deviation(), 3)),
              own_number(known_number(pairs.least(), 3)), own_number(known_number(pairs.largest(), 3))),
          ui_.theme.text2);
    std::vector<std::string_view> names;
    for (const SentencePooling pooling : reading.pooling) names.push_back(name_of(pooling));
    const std::string ways = own(fmt::to_string(fmt::join(names, " + ")));
    if (reading.pooled_by_folder)
      say(fmt::format("Pooled by {}, as modules.json says.", ways), ui_.theme.text2);
    else
      say(fmt::format("Pooled by {}: no modules.json says how.", ways), ui_.theme.text2);
    if (shown < reading.list.texts.size())
      say(fmt::format("The first {:d} of {:d} texts stand here; attnscope similar writes all.", shown,
                      reading.list.texts.size()),
          ui_.theme.text2);
    say_left_out(reading.list, reading.similar.untold.size(), reading.similar.not_numbers.size());
  }

  Scene& scene_;
  const Ui& ui_;
  ManyTextsState& state_;
  const ModelContext within_;  // as this frame found it
  const Box card_;
  const float x_, width_;
  float y_;
};

}  // namespace

void open_many_texts(Scene& scene) {
  const ModelContext& within = scene.document.within.read();
  if (!within) return scene.view.notices.say("No model is open.");
  if (!within.model->tokenizer)
    return scene.view.notices.say("This model looks at pictures; texts are for others.");
  model_state_of(scene.view).many.open = model_state_of(scene.view).many.opens = true;
}

void draw_many_texts(Scene& scene) {
  ManyTextsState& state = model_state_of(scene.view).many;
  const ModelContext& within = scene.document.within.read();
  if (state.texts && (!within || state.texts->asked().model != within.model)) state.texts.reset();
  if (state.texts) state.texts->begin_frame();
  if (!state.open) return;
  if (!within || !within.model->tokenizer) {
    state.open = false;
    return;
  }
  if (state.opens) ImGui::OpenPopup(many_texts_popup);
  const Ui& ui = scene.ui;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float width = std::min(ui.px(640), screen.x - ui.px(16)),
              height = std::min(ui.px(500), screen.y - ui.px(16));
  const Box card{std::round((screen.x - width) / 2),
                 std::round(std::max(ui.px(8), (screen.y - height) * 0.35f)), width, height};
  // Else something was opened over it.
  if (!modal_card(ui, many_texts_popup, card, [&] { ManyTextsCard(scene, card).draw(); })) state.open = false;
}

}  // namespace attnscope
