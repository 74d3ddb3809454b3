// app/pages/model: the page's entries in the palette, besides its actions, while a model is open.
#include <array>
#include <utility>

#include "app/pages/model/acts.hpp"
#include "app/pages/model/parts/choice_names.hpp"
#include "app/pages/model/state/model_state.hpp"
#include "app/state/files_state.hpp"
#include "app/state/regions/regions_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/files/files.hpp"
#include "app/views/palette/entries.hpp"
#include "core/engine/model/model_reading.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

/// How the text of a model becomes tokens: unfolds that section of its column.
void add_text_of_model(const Shown& shown, std::vector<PaletteEntry>& all) {
  if (!shown.model->within.model || !shown.model->within.model->tokenizer) return;
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> rows{{
      {"As a chat", "chat template instruct prompt user assistant apply_chat_template gespräch vorlage"},
      {"Second text", "pair sentence pair segment nli qa paar satzpaar zweiter"},
      {"Special tokens", "bos eos cls sep beginning of sequence add_special_tokens anfang besondere"},
      {"Numbers of the tokens", "token ids input_ids raw nummern tokens"},
  }};
  for (const auto& [name, words] : rows)
    all.push_back({std::string(name), "control", words, [](Scene& now) {
                     constexpr auto section =
                         static_cast<std::size_t>(Section::Text) - static_cast<std::size_t>(Section::Model);
                     now.view.mode = Mode::Model;
                     model_state_of(now.view).screen = ModelScreen::Heads;
                     regions_of(now.view).hidden[static_cast<std::size_t>(Region::Controls)] = false;
                     model_state_of(now.view).fold[section] = 1;
                   }});
}

void add_exports_of_model(std::vector<PaletteEntry>& all) {
  struct Export {
    std::string_view name;
    NumberFormat format;
    std::string_view words;
  };
  static constexpr std::array<Export, 2> of_model{{
      {"Export a table of the model as CSV", NumberFormat::Csv,
       "csv table scores lens prediction effects pruning patching excel export tabelle modell"},
      {"Export the activations of the model", NumberFormat::Tensors,
       "safetensors transformerlens hooks cache activations tensor export aktivierungen modell"},
  }};
  all.push_back({"Save a picture of all heads", "file",
                 "grid layers heads png svg picture figure paper export bild köpfe modell", [](Scene& now) {
                   now.view.mode = Mode::Model;
                   open_picture_card(now, PictureRegion::Grid);
                 }});
  for (const Export& out : of_model)
    all.push_back({std::string(out.name), "file", out.words, [format = out.format](Scene& now) {
                     now.view.mode = Mode::Model;
                     open_export_dialog(now, format);
                   }});
}

/// Colours and orders of the grid of heads.
void add_choices_of_model(std::vector<PaletteEntry>& all) {
  static constexpr std::array<std::string_view, head_colour_names.size()> colours{
      "color grid model score heads weights muster bild farbe färben köpfe raster",
      "color grid model score heads uncertainty spread entropie farbe färben köpfe raster",
      "color grid model score heads token before previous-token voriges davor farbe färben köpfe raster",
      "color grid model score heads repeat copy induktion wiederholung farbe färben köpfe raster",
      "color grid model score heads sink bos senke erstes farbe färben köpfe raster",
      "color grid model score heads ablation logit importance wirkung farbe färben köpfe raster"};
  static constexpr std::array<std::string_view, grid_order_names.size()> orders{
      "sort grid model index schicht kopf ordnen sortieren ordnung",
      "sort grid model groups kinds roles gruppen arten ordnen sortieren ordnung",
      "sort grid model score größte zuerst ordnen sortieren ordnung"};
  const auto to_grid = [](Scene& now) {
    now.view.mode = Mode::Model;
    model_state_of(now.view).screen = ModelScreen::Heads;
  };
  for (std::size_t i = 0; i < colours.size(); ++i)
    all.push_back(choice_entry("Colour the heads", head_colour_names[i], colours[i], [=](Scene& now) {
      to_grid(now);
      model_state_of(now.view).colour = static_cast<HeadColour>(i);
    }));
  for (std::size_t i = 0; i < orders.size(); ++i)
    all.push_back(choice_entry("Order of the heads", grid_order_names[i], orders[i], [=](Scene& now) {
      to_grid(now);
      model_state_of(now.view).order = static_cast<GridOrder>(i);
    }));
}

}  // namespace

void add_model_to_palette(const Shown& shown, std::vector<PaletteEntry>& all) {
  if (shown.model == nullptr) return;
  add_text_of_model(shown, all);
  add_exports_of_model(all);
  add_choices_of_model(all);
}

}  // namespace attnscope
