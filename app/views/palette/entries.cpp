#include "app/views/palette/entries.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "app/kit/ui/own_words.hpp"
#include "app/kit/ui/words.hpp"
#include "app/scene/page_facts.hpp"
#include "app/state/files_state.hpp"
#include "app/state/regions/controls_state.hpp"
#include "app/state/regions/heads_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/regions/signals_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/files/files.hpp"
#include "app/views/heads/head_order.hpp"
#include "app/views/signals/plots.hpp"
#include "core/text/letters.hpp"

namespace attnscope {
namespace {

void add_actions(const Shown& shown, std::vector<PaletteEntry>& all) {
  const Action* before = nullptr;
  for (const Action& action : actions()) {
    const bool is_second_key = before && before->run == action.run;
    before = &action;
    if (!is_possible(action, shown) || action.run == open_palette || is_second_key) continue;
    const auto run = [&action](Scene& now) {
      if (action.only) now.view.mode = *action.only;
      action.run(now);
    };
    all.push_back({std::string(action.name), key_name(action.key), other_words_for(action), run, true});
  }
}

/// Opens the control's section, scrolls it into sight, gives it the keyboard and rings it.
void show_control(Scene& scene, const ControlEntry& control) {
  ViewState& view = scene.view;
  const auto section = static_cast<std::size_t>(control.section);
  view.mode = Mode::Explore;
  regions_of(view).hidden[static_cast<std::size_t>(Region::Controls)] = false;
  controls_of(view).fold[section] = 1;
  if (control.behind_dots) controls_of(view).more[section] = true;
  view.keyboard.sought = {std::string(control.label), std::string(control.title), 8, {}, 0};
}

void add_controls(const Shown& shown, std::vector<PaletteEntry>& all) {
  if (shown.result.is_long()) return;  // a long result has other controls
  for (const ControlEntry& control : control_entries())
    all.push_back({std::string(control.name), "control", control.words,
                   [&control](Scene& now) { show_control(now, control); }});
}

/// Entries that show a plot; one that is in none of the places replaces the first.
void add_plots(const Shown& shown, std::vector<PaletteEntry>& all) {
  if (shown.result.is_long()) return;
  constexpr std::array<std::string_view, plot_kinds> words{
      "entropy row query uncertainty spread entropie zeile",
      "entropy head entropie kopf",
      "entropy map heads rows heatmap entropie karte",
      "scores histogram distribution sigma variance histogramm verteilung",
      "weights histogram distribution largest histogramm verteilung gewichte",
      "oscilloscope time trace oszilloskop zeit verlauf",
      "gradient backward norm ableitung",
      "received column sum sink attention empfangen spalte summe",
  };
  for (int i = 0; i < plot_kinds; ++i) {
    const auto kind = static_cast<PlotKind>(i);
    all.push_back({name_in_list(kind), "plot", words[static_cast<std::size_t>(i)], [kind](Scene& now) {
                     SignalsState& signals = signals_of(now.view);
                     now.view.mode = Mode::Explore;
                     regions_of(now.view).hidden[static_cast<std::size_t>(Region::Signals)] = false;
                     const auto& slots = signals.slots;
                     if (std::find(slots.begin(), slots.end(), kind) == slots.end())
                       show_plot(signals, 0, kind);
                   }});
  }
}

void add_examples(const Shown& shown, std::vector<PaletteEntry>& all) {
  for (const Example& example : shown.examples)
    all.push_back({inner(example.name), "example", "example sample open beispiel öffnen",
                   [path = example.path](Scene& now) { now.requests.open = path; }});
}

/// Opens the dialog with that format.
void add_exports(std::vector<PaletteEntry>& all) {
  struct Export {
    std::string_view name;
    NumberFormat format;
    std::string_view words;
  };
  all.push_back({"Save the session as JSON", "file", "json session document export save speichern sitzung",
                 [](Scene& now) { open_save_dialog(now); }});
  static constexpr std::array<Export, 3> exports{{
      {"Export the matrix as CSV", NumberFormat::Csv,
       "csv table spreadsheet excel numbers export tabelle zahlen"},
      {"Export the matrix as NPY", NumberFormat::Npy, "npy numpy array python numbers alone export"},
      {"Export every stage as tensors", NumberFormat::Tensors,
       "safetensors tensor dump all stages export alle stufen"},
  }};
  for (const Export& out : exports)
    all.push_back({std::string(out.name), "file", out.words,
                   [format = out.format](Scene& now) { open_export_dialog(now, format); }});
}

void add_looks(const Shown& shown, std::vector<PaletteEntry>& all) {
  struct Look {
    std::string_view name, words;
  };
  static constexpr std::array<Look, 3> themes{{
      {"Dark", "theme night black colours thema dunkel farben"},
      {"Light", "theme day white bright colours print thema hell farben"},
      {"High contrast", "theme projector accessibility colours beamer kontrast thema farben"},
  }};
  for (std::size_t i = 0; i < themes.size(); ++i)
    all.push_back({std::string(themes[i].name), "theme", themes[i].words,
                   [i](Scene& now) { now.view.theme = static_cast<ThemeName>(i); }});
  for (const Language& language : shown.languages)
    all.push_back({own(language.name), "language",
                   language.code == "de" ? "language german deutsch sprache übersetzung"
                                         : "language english englisch sprache",
                   [code = language.code](Scene& now) { now.view.language = code; }});
}

/// The sort orders of the layer's thumbnails.
void add_choices_of_layer(const Shown& shown, std::vector<PaletteEntry>& all) {
  if (shown.result.is_long()) return;
  static constexpr std::array<std::string_view, 10> words{
      "order thumbnails layer sortieren köpfe reihenfolge",
      "order thumbnails entropie sortieren köpfe",
      "order thumbnails maximum größtes gewicht sortieren köpfe",
      "order thumbnails before voriges sortieren köpfe",
      "order thumbnails after nächstes sortieren köpfe",
      "order thumbnails itself self dasselbe selbst sortieren köpfe",
      "order thumbnails sink bos erstes sortieren köpfe",
      "order thumbnails far near abstand sortieren köpfe",
      "order thumbnails column empfangen spalte sortieren köpfe",
      "order thumbnails backward gradient norm ableitung sortieren köpfe"};
  for (const HeadStatistic& each : head_statistics())
    if (can_sort_by(shown.result, each.order))
      all.push_back(choice_entry("Sort the heads", each.name, words[static_cast<std::size_t>(each.order)],
                                 [order = each.order](Scene& now) {
                                   now.view.mode = Mode::Explore;
                                   regions_of(now.view).hidden[static_cast<std::size_t>(Region::Heads)] =
                                       false;
                                   head_grid_of(now.view).order = order;
                                 }));
}

/// Calls `use` with every word, divided by spaces.
template <class Use>
void for_each_word(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// The score of one typed word among these words.
int score_in(std::string_view text, std::string_view word, int whole, int begins, int inside) {
  int best = 0;
  for_each_word(text, [&](std::string_view there) {
    if (there == word) best = std::max(best, whole);
    if (there.starts_with(word)) best = std::max(best, begins);
  });
  if (best == 0 && text.find(word) != std::string_view::npos) best = inside;
  return best;
}

}  // namespace

PaletteEntry choice_entry(std::string_view what, std::string_view choice, std::string_view words,
                          std::function<void(Scene&)> run) {
  return {std::string(what) + ": " + inner(choice),      "choice", words, std::move(run), false,
          std::string(what) + ": " + std::string(choice)};
}

std::vector<PaletteEntry> palette_entries(const Shown& shown) {
  std::vector<PaletteEntry> all;
  add_actions(shown, all);
  add_controls(shown, all);
  add_plots(shown, all);
  add_examples(shown, all);
  for (const PageFacts* const page : page_facts())
    if (page->add_to_palette != nullptr) page->add_to_palette(shown, all);
  add_exports(all);
  add_looks(shown, all);
  add_choices_of_layer(shown, all);
  return all;
}

int score_of(std::string_view shown_name, const PaletteEntry& entry, std::string_view typed) {
  const std::string wanted = search_form(typed);
  if (wanted.find_first_not_of(' ') == std::string::npos) return entry.is_action ? 1 : 0;
  const std::string shown = search_form(shown_name), own_name = search_form(plain(entry.name)),
                    other = search_form(std::string(entry.words) + entry.more);
  int score = 0;
  bool all_found = true;
  for_each_word(wanted, [&](std::string_view word) {
    const int best = std::max({score_in(shown, word, 60, 40, 20), score_in(own_name, word, 50, 35, 15),
                               score_in(other, word, 30, 18, 6)});
    score += best;
    all_found = all_found && best > 0;
  });
  if (!all_found) return 0;
  if (shown == wanted || own_name == wanted)
    score += 1000;
  else if (shown.starts_with(wanted) || own_name.starts_with(wanted))
    score += 20;
  return score + (entry.is_action ? 1 : 0);
}

}  // namespace attnscope
