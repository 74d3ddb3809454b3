// app/pages/experiments: the list at the left, and the slider above the plots.
#include <algorithm>
#include <cmath>

#include "app/pages/experiments/parts.hpp"

namespace attnscope {
namespace {

/// The experiment's thumbnail: two lines, unchanged and changed, on a dark background.
void draw_experiment_thumb(const Ui& ui, const ExperimentWords& words, const Box& box) {
  ui.fill(box, ui.theme.canvas, ui.px(3));
  const auto line = [&](const std::vector<float>& heights, Rgba colour) {
    std::vector<ImVec2> points;
    const Box inside{box.x + ui.px(6), box.y + ui.px(6), box.w - ui.px(12), box.h - ui.px(12)};
    for (std::size_t i = 0; i < heights.size(); ++i)
      points.push_back({inside.x + inside.w * static_cast<float>(i) / static_cast<float>(heights.size() - 1),
                        inside.bottom() - inside.h * heights[i]});
    if (points.size() > 1) ui.polyline(points, colour, ui.px(1.5f));
  };
  line(words.thumb_a, ui.theme.text1);
  line(words.thumb_b, ui.theme.b);
}

void draw_experiment_entry(const ExperimentPage& page, const ExperimentWords& words, const Box& row) {
  const Ui& ui = page.ui();
  const bool chosen = words.name == page.words.name;
  const std::string label = "experiment " + std::string(words.name);
  const Ui::Touch touch = ui.touch(label.c_str(), row);
  if (chosen || touch.hovered) ui.fill(row, chosen ? ui.theme.control : ui.theme.raised, ui.px(4));
  if (chosen) ui.fill({row.x, row.y, ui.px(2), row.h}, ui.theme.query);
  if (touch.focused) ui.frame(row, ui.theme.query, ui.px(2), ui.px(4));
  float x = row.x + ui.px(12);
  if (!page.narrow) {
    draw_experiment_thumb(ui, words, {x, row.centre_y() - ui.px(22), ui.px(60), ui.px(44)});
    x += ui.px(72);
  }
  const float number =
      ui.text(row.right() - ui.px(10), row.centre_y() - ui.px(10), std::to_string(words.number),
              {type::label, ui.theme.text3, Ink::Regular, Align::Right});
  const float room = row.right() - x - number - ui.px(18);
  ui.text(x, row.centre_y() - ui.px(10), words.title,
          {type::label, ui.theme.text1, chosen ? Ink::Semibold : Ink::Medium, Align::Left, room});
  ui.text(x, row.centre_y() + ui.px(10), words.subtitle,
          {type::tick, ui.theme.text2, Ink::Regular, Align::Left, row.right() - x - ui.px(8)});
  if (touch.clicked) choose_experiment(page.scene, words);
}

}  // namespace

void draw_experiment_list(const ExperimentPage& page, const Box& box) {
  const Ui& ui = page.ui();
  const auto rows = experiment_words();
  const float pad = ui.px(16), top = box.y + ui.px(24);
  const float right =
      ui.text(box.right() - pad, top, std::to_string(rows.size()) + (page.narrow ? "" : ", each live"),
              {type::tick, ui.theme.text3, Ink::Regular, Align::Right});
  ui.text(box.x + pad, top, "Experiments",
          {type::body, ui.theme.text1, Ink::Semibold, Align::Left, box.w - 2 * pad - right - ui.px(8)});
  const Box area{box.x, box.y + ui.px(44), box.w, std::max(1.f, box.h - ui.px(44))};
  const float high = std::max(ui.px(page.narrow ? 40 : 44),
                              std::min(ui.px(63), std::floor(area.h / static_cast<float>(rows.size()))));
  ImGui::SetCursorScreenPos(area.min());
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, ui.px(6));
  ImGui::BeginChild("experiment list", {area.w, area.h}, ImGuiChildFlags_NavFlattened,
                    ImGuiWindowFlags_NoBackground);
  keep_scroll(ui, experiment_of(page.scene.view).list_scroll);
  const float y = ImGui::GetCursorScreenPos().y;
  for (std::size_t i = 0; i < rows.size(); ++i)
    draw_experiment_entry(
        page, rows[i],
        {box.x + ui.px(8), y + high * static_cast<float>(i), box.w - ui.px(16), high - ui.px(3)});
  ImGui::SetCursorScreenPos({box.x, y + high * static_cast<float>(rows.size()) - ui.px(3)});
  ImGui::Dummy({1, 1});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

void draw_experiment_slider(const ExperimentPage& page, const Box& row) {
  const Ui& ui = page.ui();
  ui.fill(row, ui.theme.raised, ui.px(8));
  const float pad = ui.px(16), y = std::round(row.centre_y());
  const float name = ui.text(row.x + pad, y, page.words.symbol, {type::body, ui.theme.text1, Ink::Semibold});
  float read_out = ui.px(56);
  for (std::size_t i = 0; i < page.values(); ++i)
    read_out = std::max(read_out, ui.text_width(page.value_at(i), type::title, Ink::Semibold));
  ui.text(row.right() - pad, y, page.value_at(page.point),
          {type::title, ui.theme.query, Ink::Semibold, Align::Right});
  const float left = row.x + pad + name + ui.px(20), right = row.right() - pad - read_out - ui.px(20);
  const Box track{left, row.y, std::max(ui.px(40), right - left), row.h};
  const auto place = [&](std::size_t i) {
    return track.x +
           track.w * static_cast<float>(i) / static_cast<float>(std::max<std::size_t>(1, page.values() - 1));
  };
  const Ui::Touch touch =
      ui.touch("experiment value", {track.x - ui.px(8), row.y, track.w + ui.px(16), row.h});
  const ImGuiIO& io = ImGui::GetIO();
  if (touch.held && io.MouseDown[0]) {
    const float share = std::clamp((io.MousePos.x - track.x) / track.w, 0.f, 1.f);
    page.choose(static_cast<std::size_t>(std::lround(share * static_cast<float>(page.values() - 1))));
  }
  if (touch.hovered && ImGui::IsMouseDoubleClicked(0)) page.choose(page.shown.experiment->rest);
  const float knob = place(page.point);
  ui.fill({track.x, y - ui.px(2), track.w, ui.px(4)}, ui.theme.control_hover, ui.px(2));
  ui.fill({track.x, y - ui.px(2), knob - track.x, ui.px(4)}, ui.theme.query, ui.px(2));
  for (std::size_t i = 0; i < page.values(); ++i)
    ui.fill({std::round(place(i)), y + ui.px(8), std::max(1.f, ui.px(1)),
             ui.px(i == page.shown.experiment->rest ? 6 : 3)},
            ui.theme.text3);
  if (touch.hovered || touch.held) ui.disc({knob, y}, ui.px(12), fade(ui.theme.query, 0.22f));
  const bool light = ui.theme.name == ThemeName::Light;
  ui.disc({knob, y}, ui.px(7), light ? 0xFFFFFFFFu : ui.theme.text1);
  ui.ring({knob, y}, ui.px(7), ui.theme.query, ui.px(2));
  if (touch.focused) ui.ring({knob, y}, ui.px(12), ui.theme.query, ui.px(2));
  tooltip(
      ui, touch.hovered && !touch.held, row,
      {"The value of all plots", {}, "Drag here or in a plot; a double click goes where it began.", "← →"});
}

}  // namespace attnscope
