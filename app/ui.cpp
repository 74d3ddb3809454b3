#include "app/ui.hpp"

#include <algorithm>
#include <string>

#include <imgui_internal.h>

namespace attnscope {

ImFont* Ui::font(Ink ink) const {
  switch (ink) {
    case Ink::Medium: return fonts_.medium;
    case Ink::Semibold: return fonts_.semibold;
    case Ink::Regular: break;
  }
  return fonts_.regular;
}

float Ui::text_width(std::string_view text, float size, Ink ink) const {
  if (text.empty())
    return 0;  // an empty view may have no address, which Dear ImGui reads as "up to the zero byte"
  return font(ink)->CalcTextSizeA(size * scale_, FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

std::string Ui::fitted(std::string_view text, float size, Ink ink, float max_width) const {
  if (text_width(text, size, ink) <= max_width) return std::string(text);
  std::string cut(text);
  while (!cut.empty()) {
    cut.pop_back();
    while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0) == 0x80) cut.pop_back();
    if (!cut.empty() && static_cast<unsigned char>(cut.back()) >= 0xC0) cut.pop_back();
    if (text_width(cut + "…", size, ink) <= max_width) break;
  }
  return cut.empty() ? std::string() : cut + "…";
}

float Ui::text(float x, float y, std::string_view text, const TextStyle& style) const {
  if (text.empty()) return 0;
  std::string cut;
  if (style.max_width > 0 && text_width(text, style.size, style.ink) > style.max_width) {
    cut = fitted(text, style.size, style.ink, style.max_width);
    text = cut;
  }
  const float width = text_width(text, style.size, style.ink);
  const float size = style.size * scale_;
  if (style.align == Align::Centre) x -= width / 2;
  if (style.align == Align::Right) x -= width;
  // Whole pixels: glyphs are rasterised on the pixel grid and blur between.
  const ImVec2 at{std::round(x), std::round(y - size / 2)};
  list()->AddText(font(style.ink), size, at, style.colour, text.data(), text.data() + text.size());
  return width;
}

void Ui::upright_text(float x, float y_bottom, std::string_view text, const TextStyle& style) const {
  ImDrawList* draw = list();
  const int first = draw->VtxBuffer.Size;
  const float size = style.size * scale_;
  std::string cut(text);
  if (style.max_width > 0) cut = fitted(text, style.size, style.ink, style.max_width);
  // Drawn lying at the pivot, then every vertex is turned by -90°: (dx, dy) -> (dy, -dx).
  const ImVec2 pivot{std::round(x), std::round(y_bottom)};
  draw->AddText(font(style.ink), size, {pivot.x, std::round(pivot.y - size / 2)}, style.colour, cut.c_str());
  // The clip rectangle culls per glyph before the turn; labels stay inside their region, so nothing is lost.
  for (int i = first; i < draw->VtxBuffer.Size; ++i) {
    ImVec2& p = draw->VtxBuffer[i].pos;
    p = {pivot.x + (p.y - pivot.y), pivot.y - (p.x - pivot.x)};
  }
}

std::vector<std::string> Ui::broken(std::string_view text, float size, Ink ink, float width) const {
  std::vector<std::string> lines;
  std::string current;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string word(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
    const std::string longer = current.empty() ? word : current + " " + word;
    if (!current.empty() && text_width(longer, size, ink) > width) {
      lines.push_back(current);
      current = word;
    } else {
      current = longer;
    }
  }
  if (!current.empty()) lines.push_back(current);
  return lines;
}

float Ui::paragraph(float x, float y_top, float width, std::string_view text, const TextStyle& style) const {
  const float line = line_height(style.size);
  float y = y_top;
  for (const std::string& words : broken(text, style.size, style.ink, width)) {
    this->text(x, y + line / 2, words, style);
    y += line;
  }
  return y - y_top;
}

float Ui::paragraph_height(float width, std::string_view text, float size, Ink ink) const {
  return static_cast<float>(broken(text, size, ink, width).size()) * line_height(size);
}

void Ui::fill(const Box& box, Rgba colour, float radius) const {
  if (box.w <= 0 || box.h <= 0) return;
  list()->AddRectFilled(box.min(), box.max(), colour, radius);
}

void Ui::frame(const Box& box, Rgba colour, float thickness, float radius) const {
  list()->AddRect(box.min(), box.max(), colour, radius, 0, thickness);
}

void Ui::horizontal(float x, float y, float width, Rgba colour) const {
  fill({std::round(x), std::round(y), std::round(width), std::max(1.f, std::floor(scale_))}, colour);
}

void Ui::vertical(float x, float y, float height, Rgba colour) const {
  fill({std::round(x), std::round(y), std::max(1.f, std::floor(scale_)), std::round(height)}, colour);
}

Ui::Touch Ui::touch(const char* label, const Box& box, bool focusable) const {
  if (box.w < 1 || box.h < 1) return {};
  ImGui::SetCursorScreenPos(box.min());
  Touch touch;
  // Dear ImGui draws its own focus cursor; ours is drawn by the widgets so that its shape fits them.
  ImGui::PushStyleColor(ImGuiCol_NavCursor, 0);
  touch.clicked = ImGui::InvisibleButton(label, {box.w, box.h}, focusable ? ImGuiButtonFlags_EnableNav : 0);
  ImGui::PopStyleColor();
  touch.hovered = ImGui::IsItemHovered();
  touch.held = ImGui::IsItemActive();
  touch.focused = ImGui::IsItemFocused() && ImGui::GetIO().NavVisible;
  return touch;
}

void Ui::push_font(float size, Ink ink) const { ImGui::PushFont(font(ink), size * scale_); }

}  // namespace attnscope
