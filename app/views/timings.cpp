// app/views: the card under the top bar that says where the time goes: milliseconds of every stage in the
// last change, what was kept, time of a frame, who computes and why.
#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/number_format.hpp"
#include "app/picture.hpp"

namespace attnscope {
namespace {

/// One stage: its bar is its share of the slowest; what was kept is told in words.
void draw_stage(const Scene& scene, const StageInfo& stage, const Box& row, double slowest) {
  const Ui& ui = scene.ui;
  const double ms = scene.result.milliseconds[static_cast<std::size_t>(stage.stage)];
  const bool kept = ms == 0;
  const float number = ui.px(64), name = ui.px(104);
  ui.text(row.x, row.centre_y(), stage.name, {type::tick, kept ? ui.theme.text3 : ui.theme.text1});
  const Box track{row.x + name, row.centre_y() - ui.px(2), row.w - name - number, ui.px(4)};
  const float share = slowest > 0 ? static_cast<float>(ms / slowest) : 0;
  ui.fill(track, ui.theme.bar_ground, ui.px(2));
  ui.fill({track.x, track.y, std::max(share * track.w, kept ? 0.f : ui.px(2)), track.h}, ui.theme.bar,
          ui.px(2));
  ui.text(row.right(), row.centre_y(), kept ? "kept" : fixed(ms, 3),
          {type::tick, kept ? ui.theme.text3 : ui.theme.text1, Ink::Regular, Align::Right});
}

void draw_frame_rate(const Scene& scene, const Box& row) {
  const Ui& ui = scene.ui;
  const auto seconds = static_cast<double>(ImGui::GetIO().DeltaTime);
  ui.text(row.x, row.centre_y(), "since the frame before", {type::tick, ui.theme.text2});
  ui.text(row.right(), row.centre_y(), fixed(1000 * seconds, 1) + " ms",
          {type::tick, ui.theme.text1, Ink::Regular, Align::Right});
}

}  // namespace

void draw_timings(Scene& scene, const Box& below) {
  if (!scene.view.timings) return;
  const Ui& ui = scene.ui;
  std::vector<const StageInfo*> there;
  double slowest = 0, stages = 0;
  for (const StageInfo& stage : stage_table) {
    if (!scene.result.trace[stage.stage]) continue;
    there.push_back(&stage);
    const double ms = scene.result.milliseconds[static_cast<std::size_t>(stage.stage)];
    slowest = std::max(slowest, ms);
    stages += ms;
  }
  const std::string& why = scene.view.backend_note;
  const float pad = ui.px(16), line = ui.px(18), width = ui.px(320), inner = width - 2 * pad;
  const float note = why.empty() ? 0 : ui.paragraph_height(inner, why, type::tick) + ui.px(8);
  const float height = 2 * pad + ui.px(28) + note + line * static_cast<float>(there.size() + 3) + ui.px(16);
  const Box card{std::round(below.right() - width - ui.px(16)), below.bottom() + ui.px(8), width, height};

  // A window of its own, so that what lies under it is not touched through it.
  ImGui::SetNextWindowPos(card.min());
  ImGui::SetNextWindowSize({card.w, card.h});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ui.theme.raised);
  ImGui::PushStyleColor(ImGuiCol_Border, ui.theme.border);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.f, std::floor(ui.scale())));
  ImGui::Begin("timings", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
  float y = card.y + pad;
  ui.text(card.x + pad, y + ui.px(8), own(scene.result.backend), {type::body, ui.theme.text1, Ink::Semibold});
  y += ui.px(28);
  if (!why.empty()) y += ui.paragraph(card.x + pad, y, inner, why, {type::tick, ui.theme.text3}) + ui.px(8);
  const auto row = [&] {
    const Box box{card.x + pad, y, inner, line};
    y += line;
    return box;
  };
  for (const StageInfo* stage : there) draw_stage(scene, *stage, row(), slowest);
  y += ui.px(8);
  ui.horizontal(card.x + pad, y, inner, ui.theme.hairline);
  y += ui.px(8);
  const auto sum = [&](std::string_view name, double ms) {
    const Box box = row();
    ui.text(box.x, box.centre_y(), name, {type::tick, ui.theme.text2});
    ui.text(box.right(), box.centre_y(), fixed(ms, 3),
            {type::tick, ui.theme.text1, Ink::Medium, Align::Right});
  };
  sum("measures and gradients", std::max(0.0, scene.result.total_milliseconds - stages));
  sum("the last change, ms", scene.result.total_milliseconds);
  draw_frame_rate(scene, row());
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(2);
}

}  // namespace attnscope
