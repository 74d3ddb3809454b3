#include "app/training/head_facts.hpp"

#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"

namespace attnscope {

void draw_head_title(const Ui& ui, const HeadTitle& title, ImVec2 at, float room, float room_of_need,
                     bool below) {
  const float line = ui.px(18);
  const float name = ui.text(at.x, at.y + line / 2, title.name,
                             {type::label, title.is_named ? ui.theme.text1 : ui.theme.text2,
                              title.is_named ? Ink::Semibold : Ink::Regular, Align::Left, room});
  if (title.need.empty()) return;
  const float x = below ? 0 : name + ui.px(8);
  ui.text(at.x + x, at.y + line * (below ? 1.4f : 0.5f), title.need,
          {type::tick, ui.theme.text2, Ink::Medium, Align::Left, std::max(1.f, room_of_need - x)});
}

float width_of_facts(const Ui& ui, const std::vector<HeadFact>& facts) {
  float wide = ui.px(48);
  for (const HeadFact& one : facts)
    wide = std::max(wide, std::ceil(ui.text_width(one.label, type::tick, Ink::Regular)));
  return wide + ui.px(10);
}

void draw_facts_below(const Ui& ui, const std::vector<HeadFact>& facts, const Box& box) {
  const float gap = ui.px(12), line = std::floor(box.h / 2);
  const auto wanted = [&](std::size_t column) {
    float wide = 0;
    for (std::size_t i = column; i < facts.size() && i < 4; i += 2)
      wide = std::max(wide, ui.text_width(facts[i].label, type::tick, Ink::Regular) + ui.px(8) +
                                ui.text_width(fixed(facts[i].value, 2), type::tick, Ink::Semibold));
    return std::ceil(wide);
  };
  const float first = wanted(0), left_to_first = std::max(first, std::floor(box.w - gap - wanted(1))),
              split = std::clamp(std::floor((box.w - gap) / 2), first, left_to_first);
  for (std::size_t i = 0; i < facts.size() && i < 4; ++i) {
    const float x = box.x + (split + gap) * static_cast<float>(i % 2),
                y = box.y + line * (static_cast<float>(i / 2) + 0.5f),
                wide = i % 2 == 0 ? split : box.w - gap - split;
    const float number = ui.text(x + wide, y, fixed(facts[i].value, 2),
                                 {type::tick, ui.theme.text1, Ink::Semibold, Align::Right});
    ui.text(x, y, facts[i].label,
            {type::tick, ui.theme.text2, Ink::Regular, Align::Left, wide - number - ui.px(4)});
  }
}

void draw_facts_in_line(const Ui& ui, std::string_view need, const std::vector<HeadFact>& facts,
                        const Box& line) {
  float x = line.x;
  if (!need.empty())
    x += ui.text(x, line.centre_y(), need, {type::tick, ui.theme.text2, Ink::Medium}) + ui.px(12);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const HeadFact& one = facts[(i + 1) % facts.size()];
    const std::string value = fixed(one.value, 2);
    const float label = ui.text_width(one.label, type::tick), gap = ui.px(4),
                wide = label + gap + ui.text_width(value, type::tick, Ink::Semibold);
    if (x + wide > line.right()) continue;
    ui.text(x, line.centre_y(), one.label, {type::tick, ui.theme.text2});
    ui.text(x + label + gap, line.centre_y(), value, {type::tick, ui.theme.text1, Ink::Semibold});
    x += wide + ui.px(12);
  }
}

void draw_facts_beside(const Ui& ui, const std::vector<HeadFact>& facts, const Box& box) {
  float y = box.y + ui.px(8);
  for (const HeadFact& one : facts) {
    if (y + ui.px(26) > box.bottom()) return;
    ui.text(box.x, y, one.label, {type::tick, ui.theme.text2, Ink::Regular, Align::Left, box.w});
    ui.text(box.x, y + ui.px(15), fixed(one.value, 2), {type::tick, ui.theme.text1, Ink::Semibold});
    y += ui.px(36);
  }
}

}  // namespace attnscope
