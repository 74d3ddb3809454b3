// app/views/files: the dialog's options beside the name: region, format, size and colours.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/files/file_kinds.hpp"
#include "app/kit/ui/number_format.hpp"
#include "app/scene/page_facts.hpp"
#include "app/state/files_state.hpp"
#include "app/state/window_state.hpp"
#include "app/views/figures/grid_page.hpp"
#include "app/views/files/dialog.hpp"
#include "core/files/formats/posix.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

/// The regions that can be chosen in this mode.
std::vector<PagePicture> region_choices(const Scene& scene) {
  const PagePicture window{PictureRegion::Window, "Window", "window"};
  const PageSteps* const steps = page_steps_of(scene.view.mode);
  if (steps != nullptr && picture_kind(scene) == PictureKind::Html)
    return {{PictureRegion::Window, steps->whole, steps->whole_file},
            {PictureRegion::Focus, steps->one, steps->one_file}};
  const PageFacts& page = *page_facts_of(scene.view.mode);
  std::vector<PagePicture> all;
  if (page.pictures != nullptr)
    all = page.pictures(scene);
  else
    all.push_back({PictureRegion::Focus, page.picture, page.picture_file});
  all.push_back(window);
  return all;
}

std::size_t index_of(const std::vector<PagePicture>& all, PictureRegion region) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].region == region) return i;
  return 0;
}

std::string_view ending_of(NumberFormat format) {
  constexpr std::array<std::string_view, 3> endings{".csv", ".npy", ".safetensors"};
  return endings[static_cast<std::size_t>(format)];
}

}  // namespace

Box option_line(const Ui& ui, const Box& card, float& y, std::string_view shown) {
  const float pad = ui.px(20), label = ui.px(84);
  const Box box{card.x + pad + label, y, card.w - 2 * pad - label, ui.px(28)};
  ui.text(card.x + pad, box.centre_y(), shown,
          {type::label, ui.theme.text2, Ink::Regular, Align::Left, label - ui.px(8)});
  y += ui.px(36);
  return box;
}

namespace {

/// HTML files are for a layer or a model with all its weights, or for steps.
std::vector<PictureKind> picture_kinds(const Scene& scene) {
  std::vector<PictureKind> there{PictureKind::Png, PictureKind::Svg};
  const PageSteps* const steps = page_steps_of(scene.view.mode);
  const bool has_steps = steps != nullptr && steps->are_there(scene);
  if (has_steps || (!is_page(scene.view.mode) && !scene.result.is_long())) there.push_back(PictureKind::Html);
  if (picture_series(scene) != PictureSeries::None) there.push_back(PictureKind::Series);
  return there;
}

std::string_view ending_of(PictureKind kind) {
  if (kind == PictureKind::Html) return ".html";
  return kind == PictureKind::Svg ? ".svg" : ".png";
}

/// The extension of the chosen kind of picture, series or print.
std::string_view chosen_ending(const Scene& scene) {
  const PictureKind kind = picture_kind(scene);
  if (kind != PictureKind::Series || picture_series(scene) != PictureSeries::Steps) return ending_of(kind);
  const LessonPrint print = scene.view.files->print;
  return print == LessonPrint::None ? ".pdf" : print_file(print).ending;
}

}  // namespace

PictureKind picture_kind(const Scene& scene) {
  const std::vector<PictureKind> there = picture_kinds(scene);
  const PictureKind chosen = scene.view.files->kind;
  return std::ranges::find(there, chosen) != there.end() ? chosen : PictureKind::Png;
}

namespace {

/// The size of the picture in words.
std::string size_words(const Scene& scene, const Layout& layout) {
  const FilesState& files = *scene.view.files;
  if (picture_kind(scene) == PictureKind::Html) {
    const PageSteps* const steps = page_steps_of(scene.view.mode);
    return steps != nullptr ? std::string(steps->html) : "for a browser: every head, every weight";
  }
  if (files.region == PictureRegion::Grid) {
    const std::int64_t tokens = page_tokens(scene.model->within.model->model->spec, *scene.model->run);
    return counted(tokens, "token, ", "tokens, ") + grouped(tokens * files.token_pixels) + " px a head";
  }
  if (is_print(scene)) return {};
  const std::optional<Box> box = box_of(files.region, layout, scene.view);
  if (!box) return "hidden: show it first";
  if (picture_kind(scene) == PictureKind::Svg) return "text stays text";
  const auto pixels = [&](float side) {
    return grouped(static_cast<std::int64_t>(std::lround(side)) * files.scale);
  };
  return pixels(box->w) + " × " + pixels(box->h) + " px";
}

/// For all heads: the size of a token in each of them.
float draw_token_size(Scene& scene, const Box& box) {
  const Ui& ui = scene.ui;
  FilesState& files = *scene.view.files;
  const auto inside = [](std::int64_t pixels) {
    return std::clamp<std::int64_t>(pixels, least_token_pixels, most_token_pixels);
  };
  if (const auto pixels = stepper(
          ui, "Pixels a token", box, files.token_pixels,
          [&](int by) { return inside(files.token_pixels + by); },
          {"Pixels a token", {}, "The side of a token in every head's picture, from 1 to 16."},
          std::to_string(files.token_pixels) + " px"))
    files.token_pixels = static_cast<int>(inside(*pixels));
  return box.right();
}

/// The factor to the size on the screen.
float draw_scale(Scene& scene, const Box& size) {
  const Ui& ui = scene.ui;
  FilesState& files = *scene.view.files;
  const auto step = [&](int by) {
    return std::clamp<std::int64_t>(files.scale + by, least_picture_scale, most_picture_scale);
  };
  if (const auto scale =
          stepper(ui, "Picture scale", size, files.scale, step,
                  {"Size", {}, "Times the size on the screen, from 1 to 8; drawn anew, not enlarged."},
                  std::to_string(files.scale) + "×"))
    files.scale = static_cast<int>(std::clamp<std::int64_t>(*scale, least_picture_scale, most_picture_scale));
  return size.right();
}

/// PNG, SVG, HTML or an animation, and its size.
void draw_kind_and_size(Scene& scene, const Layout& layout, const Box& line) {
  const Ui& ui = scene.ui;
  FilesState& files = *scene.view.files;
  const bool is_lesson = picture_series(scene) == PictureSeries::Steps;
  const std::array<std::string_view, 4> names{"PNG", "SVG", "HTML", is_lesson ? "Handout" : "Animation"};
  const std::array<Tip, 4> all_tips{
      Tip{"PNG", {}, "Pixels, drawn anew at the chosen size."},
      Tip{"SVG", {}, "Shapes and text, for papers: every label can be edited."},
      Tip{"HTML", {}, "One file for any browser: every head, to point at; this program opens it again."},
      is_lesson ? Tip{"Handout", {}, "A PDF to print or to hand out: every step of the lesson, a page each."}
                : Tip{"Animation", {}, "An animated PNG of a knob that is turned, for slides and pages."}};
  const std::vector<PictureKind> there = picture_kinds(scene);
  std::vector<std::string_view> kinds;
  std::vector<Tip> tips;
  for (const PictureKind kind : there) {
    kinds.push_back(names[static_cast<std::size_t>(kind)]);
    tips.push_back(all_tips[static_cast<std::size_t>(kind)]);
  }
  const int now = static_cast<int>(std::ranges::find(there, picture_kind(scene)) - there.begin());
  const float wide = there.size() == 2 ? 136 : 72 * static_cast<float>(there.size());
  const Box as{line.x, line.y, ui.px(wide), line.h};
  if (const auto picked = segments(ui, "Picture as", as, kinds, now, tips)) {
    files.kind = there[static_cast<std::size_t>(*picked)];
    follow_choice(scene);
  }
  const Box size{as.right() + ui.px(16), line.y, ui.px(104), line.h};
  float end = as.right();
  if (is_print(scene))
    end = draw_sheet(scene, size);
  else if (picture_kind(scene) != PictureKind::Html)
    end = files.region == PictureRegion::Grid ? draw_token_size(scene, size) : draw_scale(scene, size);
  ui.text(line.right(), line.centre_y(), size_words(scene, layout),
          {type::tick, ui.theme.text3, Ink::Regular, Align::Right,
           std::max(1.f, line.right() - end - ui.px(12))});
}

void draw_picture_options(Scene& scene, const Layout& layout, const Box& card, float& y) {
  const Ui& ui = scene.ui;
  FilesState& files = *scene.view.files;
  const std::vector<PagePicture> all = region_choices(scene);
  std::size_t at = index_of(all, files.region);
  files.region = all[at].region;
  std::vector<std::string_view> names;
  for (const PagePicture& choice : all) names.push_back(choice.name);
  if (const auto picked =
          segments(ui, "Picture of", option_line(ui, card, y, "Of"), names, static_cast<int>(at))) {
    files.region = all[static_cast<std::size_t>(*picked)].region;
    follow_choice(scene);
  }
  draw_kind_and_size(scene, layout, option_line(ui, card, y, "As"));
  if (picture_kind(scene) == PictureKind::Series)
    draw_series_options(
        scene, option_line(ui, card, y, picture_series(scene) == PictureSeries::Steps ? "Pages" : "Turns"));
  if (is_print(scene)) return draw_print_format(scene, card, y);
  constexpr std::array<std::string_view, 3> themes{"As on the screen", "Light", "Dark"};
  const std::array<Tip, 3> tips{Tip{"As on the screen", {}, "In the colours of the window."},
                                Tip{"Light", {}, "Dark on white, for paper and slides; the window stays."},
                                Tip{"Dark", {}, "Light on black; the window stays."}};
  Box colours = option_line(ui, card, y, "Colours");
  colours.w = std::min(colours.w, ui.px(360));
  if (const auto picked = segments(ui, "Picture colours", colours, themes, files.picture_theme, tips))
    files.picture_theme = *picked;
}

void draw_number_options(Scene& scene, const Box& card, float& y) {
  const Ui& ui = scene.ui;
  FilesState& files = *scene.view.files;
  constexpr std::array<std::string_view, 3> formats{"CSV", "NPY", "All stages"};
  const std::array<Tip, 3> tips{
      Tip{"CSV", {}, "A table with the labels of its rows and columns, for a spreadsheet."},
      Tip{"NPY", {}, "The numbers alone as float32, for NumPy."},
      Tip{"All stages", {}, "Every tensor of the computation under its name, as .safetensors."}};
  Box as = option_line(ui, card, y, "As");
  as.w = std::min(as.w, ui.px(300));
  if (const auto picked = segments(ui, "Numbers as", as, formats, static_cast<int>(files.numbers), tips)) {
    files.numbers = static_cast<NumberFormat>(*picked);
    follow_choice(scene);
  }
  const ExportSource source = export_source(scene);
  const std::vector<ExportSide> sides = export_sides(source);
  Box of = option_line(ui, card, y, "Of");
  if (files.numbers == NumberFormat::Tensors) {
    ui.text(of.x, of.centre_y(), "every head and every stage of the computation",
            {type::label, ui.theme.text1, Ink::Regular, Align::Left, of.w});
    return;
  }
  if (!sides.empty()) {
    constexpr std::array<std::string_view, 3> names{"A", "B", "A − B"};
    const auto now = std::find(sides.begin(), sides.end(), files.side);
    const int at = now == sides.end() ? 0 : static_cast<int>(now - sides.begin());
    const Box box{of.x, of.y, ui.px(156), of.h};
    if (const auto picked = segments(ui, "Numbers of", box, std::span(names).first(sides.size()), at)) {
      files.side = sides[static_cast<std::size_t>(*picked)];
      follow_choice(scene);
    }
    of = {box.right() + ui.px(12), of.y, of.w - box.w - ui.px(12), of.h};
  }
  ui.text(of.x, of.centre_y(), export_choice(source).name,
          {type::label, ui.theme.text1, Ink::Medium, Align::Left, of.w});
}

/// For a page: all its numbers.
void draw_page_table_options(Scene& scene, const Box& card, float& y) {
  const Ui& ui = scene.ui;
  const Box of = option_line(ui, card, y, "Of");
  ui.text(of.x, of.centre_y(), page_table_of(scene.view.mode)->table,
          {type::label, ui.theme.text1, Ink::Medium, Align::Left, of.w});
}

}  // namespace

void draw_dialog_options(Scene& scene, const Layout& layout, const Box& card, float& y) {
  const float top = y;
  if (scene.view.files->dialog.task == FileTask::Picture) draw_picture_options(scene, layout, card, y);
  if (scene.view.files->dialog.task == FileTask::Numbers)
    page_table_of(scene.view.mode) != nullptr ? draw_page_table_options(scene, card, y)
    : is_of_model(scene)                      ? draw_model_number_options(scene, card, y)
                                              : draw_number_options(scene, card, y);
  // Also after a click on the current choice; a number that is being typed keeps the keyboard.
  const bool is_here = Box{card.x, top, card.w, y - top}.contains(ImGui::GetIO().MousePos);
  if (is_here && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !ImGui::IsAnyItemActive())
    give_keyboard(scene.view.files->dialog, DialogPart::Name);
}

int option_lines(const Scene& scene) {
  switch (scene.view.files->dialog.task) {
    case FileTask::Picture: return picture_kind(scene) == PictureKind::Series ? 4 : 3;
    case FileTask::Numbers:
      if (page_table_of(scene.view.mode) != nullptr) return 1;
      return is_of_model(scene) ? 3 : 2;
    default: return 0;
  }
}

std::string proposed_name(const Scene& scene) {
  const FilesState& files = *scene.view.files;
  const std::string title = files.file.empty() ? scene.document.title : files.file.stem().native();
  switch (files.dialog.task) {
    case FileTask::Open: return {};
    case FileTask::Save:
      return files.file.empty() ? suggested_name(title, ".json") : files.file.filename().native();
    case FileTask::Picture: {
      const std::vector<PagePicture> all = region_choices(scene);
      const std::string_view what =
          is_print(scene) ? print_file(files.print).name : all[index_of(all, files.region)].file;
      return suggested_name(title, " - " + std::string(what) + std::string(chosen_ending(scene)));
    }
    case FileTask::Numbers: break;
  }
  if (const PageFacts* const page = page_table_of(scene.view.mode))
    return suggested_name(page->table_name(scene.view), ".csv");
  if (is_of_model(scene)) return model_numbers_name(scene);
  const std::string what =
      files.numbers == NumberFormat::Tensors ? "" : " - " + export_choice(export_source(scene)).plain;
  return suggested_name(title, what + std::string(ending_of(files.numbers)));
}

void follow_choice(Scene& scene) {
  FileDialog& dialog = scene.view.files->dialog;
  // After a click on a format, typing edits the name and does not search the rows.
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Left)) give_keyboard(dialog, DialogPart::Name);
  const std::string next = proposed_name(scene);
  if (dialog.name == dialog.suggested) {
    dialog.name = next;
  } else {
    const std::string now = lower_extension(dialog.name);
    for (const std::string_view ours :
         {".png", ".svg", ".html", ".pdf", ".csv", ".txt", ".zip", ".npy", ".safetensors"})
      if (now == ours)
        dialog.name = dialog.name.substr(0, dialog.name.size() - now.size()) +
                      std::filesystem::path(next).extension().native();
  }
  dialog.suggested = next;
}

std::filesystem::path with_ending(const Scene& scene, std::filesystem::path path) {
  const FilesState& files = *scene.view.files;
  std::vector<std::string_view> known;  // the chosen one first
  if (files.dialog.task == FileTask::Picture) {
    // The steps of a lesson are never one picture.
    const bool is_of_steps =
        picture_kind(scene) == PictureKind::Series && picture_series(scene) == PictureSeries::Steps;
    known = {chosen_ending(scene)};
    if (!is_of_steps) known.insert(known.end(), {".png", ".svg", ".html", ".pdf"});
    if (is_of_steps && !is_print(scene)) known.emplace_back(".html");
  } else if (files.dialog.task != FileTask::Numbers) {
    return path;
  } else if (page_table_of(scene.view.mode) != nullptr) {
    known = {".csv"};
  } else if (is_of_model(scene)) {
    known = {files.numbers == NumberFormat::Tensors ? ".safetensors" : ".csv", ".csv", ".safetensors"};
  } else {
    known = {ending_of(files.numbers), ".csv", ".npy", ".safetensors"};
  }
  if (std::ranges::find(known, lower_extension(path)) == known.end()) path += known.front();
  return path;
}

PictureRequest picture_request(const Scene& scene, std::filesystem::path path) {
  const FilesState& files = *scene.view.files;
  PictureRequest request{
      files.region, static_cast<float>(files.scale), std::move(path), {}, files.token_pixels};
  if (picture_kind(scene) == PictureKind::Series) {
    request.series = picture_series(scene);
    request.answers = files.answers;
    if (is_print(scene)) request.print = files.print;
    request.sheet = files.sheet;
    if (request.series == PictureSeries::Sweep) request.sweep = chosen_sweep(scene);
  }
  if (files.picture_theme != 0) request.theme = files.picture_theme == 1 ? ThemeName::Light : ThemeName::Dark;
  return request;
}

}  // namespace attnscope
