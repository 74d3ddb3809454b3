#include "app/views/many_texts/many_texts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/paths.hpp"
#include "app/results/many_texts.hpp"
#include "app/state/files_state.hpp"
#include "app/state/model_state.hpp"
#include "app/ui/number_format.hpp"
#include "app/views/atlas/head_numbers.hpp"
#include "app/views/files/modal_card.hpp"
#include "app/views/model/facts.hpp"

namespace attnscope {
namespace {

constexpr const char* many_texts_popup = "Many texts";
constexpr std::size_t most_listed_heads = 8, most_listed_texts = 7;

struct ListedScore {
  TextMeasure measure;
  std::string_view name;
};
constexpr std::array<ListedScore, 5> listed_scores{{{TextMeasure::Previous, "previous"},
                                                    {TextMeasure::Duplicate, "duplicate"},
                                                    {TextMeasure::Induction, "induction"},
                                                    {TextMeasure::First, "first"},
                                                    {TextMeasure::Entropy, "entropy"}}};

std::string known_number(double value, int places) { return std::isnan(value) ? "–" : fixed(value, places); }

/// Heads with the largest mean first; those that have none last.
std::vector<const HeadSpread*> heads_by_mean(const HeadSpreads& found, TextMeasure measure) {
  std::vector<const HeadSpread*> heads;
  for (const HeadSpread& head : found.heads) heads.push_back(&head);
  const auto size = [measure](const HeadSpread* head) {
    const double mean = head->at(measure).values.mean();
    return std::isnan(mean) ? -1.0 : mean;
  };
  std::ranges::stable_sort(heads,
                           [&](const HeadSpread* a, const HeadSpread* b) { return size(a) > size(b); });
  return heads;
}

class ManyTextsCard {
 public:
  ManyTextsCard(Scene& scene, const Box& card)
      : scene_(scene),
        ui_(scene.ui),
        state_(scene.view.model->many),
        within_(scene.document.within.read()),
        card_(card),
        x_(card.x + ui_.px(20)),
        width_(card.w - ui_.px(40)),
        y_(card.y + ui_.px(18)) {}

  void draw() {
    ui_.text(x_, y_ + ui_.px(10), many_texts_popup, {type::body, ui_.theme.text1, Ink::Semibold});
    ui_.text(x_ + width_, y_ + ui_.px(10), own(within_.model->name) + "  ·  without changes",
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
                   "a file with a text in each line", folder()))
      measure();
    y_ += ui_.px(38);
  }

  void draw_choice() {
    constexpr std::array<std::string_view, 2> kinds{"Head scores", "Similarity"};
    const float wide = segments_width(ui_, kinds, type::label) + ui_.px(24);
    if (const auto chosen =
            segments(ui_, "##Many what", {x_, y_, wide, ui_.px(28)}, kinds, state_.similar ? 1 : 0))
      state_.similar = *chosen == 1;
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
    state_.texts->begin({within_.model, (folder() / typed).lexically_normal(), state_.similar},
                        scene_.backends.pool());
  }

  void draw_found() {
    const bool is_here = state_.texts && state_.texts->asked().model == within_.model;  // not another model's
    const ManyTextsReading* const reading = is_here ? state_.texts->reading() : nullptr;
    if (reading != nullptr && state_.texts->asked().similar == state_.similar)
      return state_.similar ? draw_similarity(*reading) : draw_scores(*reading);
    const std::string problem = is_here ? state_.texts->problem() : std::string();
    if (!problem.empty()) return say(problem, ui_.theme.text1);
    if (is_running(state_.texts)) return;
    if (state_.similar)
      say("The cosine of each two texts' vectors.", ui_.theme.text2);
    else
      say("Mean and standard deviation of every head's scores over the texts.", ui_.theme.text2);
  }

  void say(const std::string& words, Rgba ink) {
    y_ += ui_.paragraph(x_, y_, width_, words, {type::tick, ink}) + ui_.px(6);
  }

  /// What of the file was not read or not counted.
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

  /// Right ends of the columns behind the first.
  float column(int i) const { return x_ + width_ * (0.4f + 0.2f * static_cast<float>(i)); }

  void draw_scores(const ManyTextsReading& reading) {
    std::array<std::string_view, listed_scores.size()> names;
    std::ranges::transform(listed_scores, names.begin(), &ListedScore::name);
    const auto chosen = segments(ui_, "##Many score", {x_, y_, width_, ui_.px(28)}, names, state_.score, {},
                                 {.text_size = type::tick});
    state_.score = chosen.value_or(state_.score);
    y_ += ui_.px(36);
    const TextMeasure measure = listed_scores[static_cast<std::size_t>(state_.score)].measure;
    const TextStyle title{type::tick, ui_.theme.text3, Ink::Regular, Align::Right};
    ui_.text(x_, y_ + ui_.px(8), "head", {type::tick, ui_.theme.text3});
    ui_.text(column(0), y_ + ui_.px(8), "mean", title);
    ui_.text(column(1), y_ + ui_.px(8), "deviation", title);
    ui_.text(column(2), y_ + ui_.px(8), "uniform", title);
    ui_.text(column(3), y_ + ui_.px(8), "texts", title);
    y_ += ui_.px(22);
    const std::vector<const HeadSpread*> heads = heads_by_mean(reading.heads, measure);
    for (std::size_t i = 0; i < std::min(heads.size(), most_listed_heads); ++i)
      draw_head(*heads[i], heads[i]->at(measure));
    y_ += ui_.px(6);
    say_left_out(reading.list, reading.heads.untold.size(), reading.heads.not_numbers.size());
  }

  void draw_head(const HeadSpread& head, const MeasureSpread& found) {
    const Spread& values = found.values;
    const TextStyle number{type::label, ui_.theme.text1, Ink::Regular, Align::Right};
    const float y = y_ + ui_.px(10);
    ui_.text(x_, y, head_name(within_.model->model->spec, {head.of, head.block, head.head}),
             {type::label, ui_.theme.text1, Ink::Medium});
    ui_.text(column(0), y, known_number(values.mean(), 3), number);
    ui_.text(column(1), y, known_number(values.deviation(), 3), number);
    ui_.text(column(2), y, known_number(found.uniform.mean(), 3), number);
    ui_.text(column(3), y, grouped(values.count()), number);
    y_ += ui_.px(22);
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

  /// What every cosine is to be compared with, and how the vectors were made.
  void draw_pairs(const ManyTextsReading& reading, std::size_t shown) {
    const Spread& pairs = reading.similar.pairs;
    say(fmt::format("All {:d} pairs: mean {}, deviation {}, least {}, largest {}.", pairs.count(),
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
  const Within within_;  // as this frame found it
  const Box card_;
  const float x_, width_;
  float y_;
};

}  // namespace

void open_many_texts(Scene& scene) {
  const Within& within = scene.document.within.read();
  if (!within) return scene.view.notices.say("No model is open.");
  if (!within.model->tokenizer)
    return scene.view.notices.say("This model looks at pictures; texts are for others.");
  scene.view.model->many.open = scene.view.model->many.opens = true;
}

void draw_many_texts(Scene& scene) {
  ManyTextsState& state = scene.view.model->many;
  const Within& within = scene.document.within.read();
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
