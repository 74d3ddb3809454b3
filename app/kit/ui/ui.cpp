#include "app/kit/ui/ui.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include <imgui_internal.h>

#include "app/kit/ui/glyph_fonts.hpp"
#include "app/kit/ui/words.hpp"
#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

constexpr float inter_em = 1 / 1.21f;  // share of a font size, see namespace type

SvgCanvas::Area area_of(const Box& box) { return {box.x, box.y, box.w, box.h}; }

std::vector<SvgCanvas::Point> points_of(std::span<const ImVec2> points) {
  std::vector<SvgCanvas::Point> out;
  for (const ImVec2 p : points) out.push_back({p.x, p.y});
  return out;
}

/// The text without its isolate if it is a single isolated word; else the text.
std::string_view without_isolate(std::string_view text) {
  if (!text.starts_with(isolate_begin) || !text.ends_with(isolate_end)) return text;
  const std::string_view inside =
      text.substr(isolate_begin.size(), text.size() - isolate_begin.size() - isolate_end.size());
  const bool has_others =
      inside.find(isolate_begin) != inside.npos || inside.find(isolate_end) != inside.npos;
  return has_others ? text : inside;
}

/// The index of a weight in the fonts for shaping; code uses the regular one.
std::size_t chain_of(Ink ink) { return ink == Ink::Mono ? 0 : static_cast<std::size_t>(ink); }

int weight_of(Ink ink) { return ink == Ink::Semibold ? 600 : ink == Ink::Medium ? 500 : 400; }

/// Whether a line turns by more than a right angle at `corner`.
bool turns_back(ImVec2 from, ImVec2 corner, ImVec2 to) {
  const float along = (corner.x - from.x) * (to.x - corner.x) + (corner.y - from.y) * (to.y - corner.y);
  const float in = std::hypot(corner.x - from.x, corner.y - from.y);
  const float out = std::hypot(to.x - corner.x, to.y - corner.y);
  return along < -0.05f * in * out;
}

}  // namespace

SvgCanvas* Ui::copy() const {
  if (!purpose_.copy) return nullptr;
  const ImVec2 from = list()->GetClipRectMin(), to = list()->GetClipRectMax();
  purpose_.copy->begin(list(), {from.x, from.y, to.x - from.x, to.y - from.y});
  return purpose_.copy;
}

void Ui::copy_text(ImVec2 at, std::string_view text, float width, const TextStyle& style,
                   bool upright) const {
  SvgCanvas* svg = copy();
  if (!svg) return;
  const float size = style.size * scale_, ascent = font(style.ink)->GetFontBaked(size)->Ascent;
  const float anchor = style.align == Align::Left ? 0 : style.align == Align::Right ? 1 : 0.5f;
  // Upright text is centred on its pivot, horizontal text hangs from its top.
  const SvgCanvas::Point from = upright ? SvgCanvas::Point{at.x + std::round(-size / 2) + ascent, at.y}
                                        : SvgCanvas::Point{at.x, at.y + ascent};
  const std::string_view words = without_isolate(text);
  const ShapedText* order = shaped(words, style.ink);
  svg->text({from, width, size * inter_em, ascent, weight_of(style.ink), anchor, style.colour, upright,
             order && order->right_to_left},
            words);
}

void Ui::copy_field(const Box& box, std::string_view text, const TextStyle& style) const {
  SvgCanvas* svg = copy();
  if (!svg) return;
  svg->rect(area_of(box), theme.canvas, px(6));
  const float size = style.size * scale_;
  copy_text({box.x + px(10), std::round(box.centre_y() - size / 2)}, text,
            width_of(text, style.size, style.ink), style, false);
}

bool Ui::is_shaped(std::string_view text) const { return fonts_.glyphs && needs_shaping(text); }

void Ui::field_text(const Box& box, std::string_view text, const TextStyle& style) const {
  const float size = style.size * scale_;
  clip({box.x + px(10), box.y, box.w - px(20), box.h});
  put({box.x + px(10), std::round(box.centre_y() - size / 2)}, text, size, style.ink, style.colour);
  unclip();
}

const ShapedText* Ui::shaped(std::string_view text, Ink ink) const {
  return fonts_.glyphs ? fonts_.glyphs->shape(chain_of(ink), text) : nullptr;
}

void Ui::put(ImVec2 at, std::string_view text, float size, Ink ink, Rgba colour) const {
  if (const ShapedText* glyphs = shaped(text, ink))
    fonts_.glyphs->draw(*list(), *font(ink), chain_of(ink), size, at, colour, *glyphs);
  else
    list()->AddText(font(ink), size, at, colour, text.data(), text.data() + text.size());
}

ImFont* Ui::font(Ink ink) const {
  switch (ink) {
    case Ink::Medium: return fonts_.medium;
    case Ink::Semibold: return fonts_.semibold;
    case Ink::Mono: return fonts_.mono;
    case Ink::Regular: break;
  }
  return fonts_.regular;
}

std::string_view Ui::translated(std::string_view text, std::string& room) const {
  if (purpose_.words) return purpose_.words->translated(text, room);
  return has_marks(text) ? std::string_view(room = isolated(text)) : text;
}

std::string Ui::translated(std::string_view text) const {
  std::string room;
  return std::string(translated(text, room));
}

float Ui::text_width(std::string_view text, float size, Ink ink) const {
  std::string room;
  return width_of(translated(text, room), size, ink);
}

float Ui::width_of(std::string_view text, float size, Ink ink) const {
  if (text.empty())
    return 0;  // an empty view may have no address, which Dear ImGui reads as "up to the zero byte"
  if (const ShapedText* glyphs = shaped(text, ink)) return glyphs->width * size * scale_;
  return font(ink)->CalcTextSizeA(size * scale_, FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

std::string Ui::fitted(std::string_view text, float size, Ink ink, float max_width) const {
  std::string room;
  return own(cut(translated(text, room), size, ink, max_width));
}

std::string Ui::cut(std::string_view text, float size, Ink ink, float max_width) const {
  if (width_of(text, size, ink) <= max_width) return std::string(text);
  // Grapheme clusters, which a reader sees as one character, are not cut.
  const std::vector<std::size_t> ends = grapheme_ends(text);
  const auto shortened = [text](std::size_t end) { return std::string(text.substr(0, end)) + "…"; };
  const auto too_long = std::ranges::partition_point(
      ends, [&](std::size_t end) { return width_of(shortened(end), size, ink) <= max_width; });
  return too_long == ends.begin() ? std::string() : shortened(*std::prev(too_long));
}

float Ui::text(float x, float y, std::string_view text, const TextStyle& style) const {
  std::string room;
  return line({x, y}, translated(text, room), style);
}

float Ui::line(ImVec2 start, std::string_view text, const TextStyle& style) const {
  if (text.empty()) return 0;
  auto [x, y] = start;
  std::string fitting;
  float width = width_of(text, style.size, style.ink);
  if (style.max_width > 0 && width > style.max_width) {
    fitting = cut(text, style.size, style.ink, style.max_width);
    text = fitting;
    width = width_of(text, style.size, style.ink);
    if (text.empty()) return 0;
  }
  const float size = style.size * scale_;
  if (style.align == Align::Centre) x -= width / 2;
  if (style.align == Align::Right) x -= width;
  // Whole pixels: glyphs are rasterised on the pixel grid and blur between.
  const ImVec2 at{std::round(x), std::round(y - size / 2)};
  put(at, text, size, style.ink, style.colour);
  copy_text(at, text, width, style, false);
  return width;
}

void Ui::upright_text(float x, float y_bottom, std::string_view text, const TextStyle& style) const {
  ImDrawList* draw = list();
  const int first = draw->VtxBuffer.Size;
  const float size = style.size * scale_;
  std::string shown = translated(text);
  if (style.max_width > 0) shown = cut(shown, style.size, style.ink, style.max_width);
  // Drawn horizontally at the pivot, then every vertex is turned by -90°: (dx, dy) -> (dy, -dx).
  const ImVec2 pivot{std::round(x), std::round(y_bottom)};
  // The clip rectangle culls glyphs before the turn: near the right edge the text is drawn further to the
  // left.
  const float end = pivot.x + width_of(shown, style.size, style.ink);
  const float shift = std::min(0.f, std::floor(draw->GetClipRectMax().x - end));
  put({pivot.x + shift, std::round(pivot.y - size / 2)}, shown, size, style.ink, style.colour);
  for (int i = first; i < draw->VtxBuffer.Size; ++i) {
    ImVec2& p = draw->VtxBuffer[i].pos;
    p = {pivot.x + (p.y - pivot.y), pivot.y - (p.x - shift - pivot.x)};
  }
  copy_text(pivot, shown, width_of(shown, style.size, style.ink), style, true);
}

std::vector<std::string> Ui::broken(std::string_view text, float size, Ink ink, float width) const {
  std::vector<std::string> lines;
  std::string current, room;
  text = translated(text, room);
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string word(text.substr(0, space));
    text.remove_prefix(std::min(space + 1, text.size()));
    const std::string longer = current.empty() ? word : current + " " + word;
    if (!current.empty() && width_of(longer, size, ink) > width) {
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
  const float height = line_height(style.size);
  float y = y_top;
  for (const std::string& words : broken(text, style.size, style.ink, width)) {
    this->line({x, y + height / 2}, words, style);
    y += height;
  }
  return y - y_top;
}

float Ui::paragraph_height(float width, std::string_view text, float size, Ink ink) const {
  return static_cast<float>(broken(text, size, ink, width).size()) * line_height(size);
}

void Ui::fill(const Box& box, Rgba colour, float radius) const {
  if (box.w <= 0 || box.h <= 0) return;
  if (SvgCanvas* svg = copy()) svg->rect(area_of(box), colour, radius);
  list()->AddRectFilled(box.min(), box.max(), colour, radius);
}

void Ui::frame(const Box& box, Rgba colour, float thickness, float radius) const {
  if (SvgCanvas* svg = copy()) svg->outline(area_of(box), colour, thickness, radius);
  list()->AddRect(box.min(), box.max(), colour, radius, 0, thickness);
}

void Ui::horizontal(float x, float y, float width, Rgba colour) const {
  fill({std::round(x), std::round(y), std::round(width), std::max(1.f, std::floor(scale_))}, colour);
}

void Ui::vertical(float x, float y, float height, Rgba colour) const {
  fill({std::round(x), std::round(y), std::max(1.f, std::floor(scale_)), std::round(height)}, colour);
}

void Ui::disc(ImVec2 centre, float radius, Rgba colour) const {
  if (SvgCanvas* svg = copy()) svg->circle({centre.x, centre.y}, radius, colour);
  list()->AddCircleFilled(centre, radius, colour);
}

void Ui::ring(ImVec2 centre, float radius, Rgba colour, float thickness) const {
  if (SvgCanvas* svg = copy()) svg->ring({centre.x, centre.y}, radius, colour, thickness);
  list()->AddCircle(centre, radius, colour, 0, thickness);
}

void Ui::polyline(std::span<const ImVec2> points, Rgba colour, float thickness) const {
  if (SvgCanvas* svg = copy()) svg->polyline(points_of(points), colour, thickness);
  // Dear ImGui lengthens a corner that turns back into a spike of up to ten times the line's thickness: a
  // curve would show values that it does not have. So a new line begins at such a corner.
  std::size_t begin = 0;
  const auto draw_to = [&](std::size_t end) {
    list()->AddPolyline(points.data() + begin, static_cast<int>(end - begin + 1), colour, 0, thickness);
    begin = end;
  };
  for (std::size_t i = 1; i + 1 < points.size(); ++i)
    if (turns_back(points[i - 1], points[i], points[i + 1])) draw_to(i);
  if (!points.empty()) draw_to(points.size() - 1);
}

void Ui::jagged_line(std::span<const ImVec2> points, std::span<const Box> bars, Rgba colour,
                     float thickness) const {
  if (SvgCanvas* svg = copy()) svg->polyline(points_of(points), colour, thickness);
  list()->PrimReserve(static_cast<int>(6 * bars.size()), static_cast<int>(4 * bars.size()));
  for (const Box& bar : bars) list()->PrimRect(bar.min(), bar.max(), colour);
}

void Ui::area(std::span<const ImVec2> corners, Rgba colour) const {
  if (SvgCanvas* svg = copy()) svg->polygon(points_of(corners), colour);
  const ImDrawListFlags flags = list()->Flags;
  list()->Flags &= ~ImDrawListFlags_AntiAliasedFill;
  list()->AddConvexPolyFilled(corners.data(), static_cast<int>(corners.size()), colour);
  list()->Flags = flags;
}

void Ui::matrix(const char* place, std::uint64_t content, const Box& box,
                const std::function<void(const UseJob&)>& make, float opacity) const {
  const ImTextureID texture = textures.get(ImGui::GetID(place), content, [&] {
    Image image;
    make([&image](const RasterJob& job) { image = raster(job); });
    return image;
  });
  list()->AddImage(ImTextureRef(texture), box.min(), box.max(), {0, 0}, {1, 1}, fade(0xFFFFFFFFu, opacity));
  if (SvgCanvas* svg = copy()) make([&](const RasterJob& job) { svg->matrix(area_of(box), job, opacity); });
}

void Ui::picture(const char* place, std::uint64_t content, const Box& box,
                 const std::function<Image()>& paint, float opacity) const {
  if (box.w < 1 || box.h < 1) return;  // in a window without room: no pixels to paint
  if (SvgCanvas* svg = copy()) svg->image(area_of(box), paint(), opacity);
  const ImTextureID texture = textures.get(ImGui::GetID(place), content, paint);
  list()->AddImage(ImTextureRef(texture), box.min(), box.max(), {0, 0}, {1, 1}, fade(0xFFFFFFFFu, opacity));
}

void Ui::clip(const Box& box) const { list()->PushClipRect(box.min(), box.max(), true); }

void Ui::unclip() const { list()->PopClipRect(); }

Ui::Touch Ui::touch(const char* label, const Box& box, bool focusable) const {
  if (box.w < 1 || box.h < 1) return {};
  if (has_marks(label)) return touch(plain(label).c_str(), box, focusable);
  ImGui::SetCursorScreenPos(box.min());
  Touch touch;
  // Dear ImGui draws its own focus cursor; ours is drawn by the widgets so that its shape fits them.
  ImGui::PushStyleColor(ImGuiCol_NavCursor, 0);
  touch.clicked = ImGui::InvisibleButton(label, {box.w, box.h}, focusable ? ImGuiButtonFlags_EnableNav : 0);
  ImGui::PopStyleColor();
  touch.hovered = ImGui::IsItemHovered();
  touch.held = ImGui::IsItemActive();
  touch.focused = ImGui::IsItemFocused() && ImGui::GetIO().NavVisible;
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  touch.pointed = touch.hovered && !(g.NavHighlightItemUnderNav && g.NavCursorVisible);
  show_if_sought(label, box);
  return touch;
}

void Ui::show_if_sought(std::string_view label, const Box& box) const {
  Sought* const sought = purpose_.sought;
  if (!sought || sought->label.empty() || sought->label != label) return;
  const ImVec2 from = list()->GetClipRectMin(), to = list()->GetClipRectMax();
  const float left = std::max(box.x, from.x), top = std::max(box.y, from.y);
  sought->box = {left, top, std::min(box.right(), to.x) - left, std::min(box.bottom(), to.y) - top};
  if (sought->until == 0) {
    constexpr double ringed_for = 4;
    sought->until = ImGui::GetTime() + ringed_for;
    sought->frames = 4;
  }
  // Repeated for some frames: a region's height follows one frame after a section opened, and a list that
  // closes gives the keyboard back to the previous widget.
  if (sought->frames-- <= 0) return;
  if ((ImGui::GetCurrentWindow()->Flags & ImGuiWindowFlags_ChildWindow) != 0) ImGui::SetScrollHereY(0.4f);
  if (ImGui::IsItemFocused()) return;
  ImGui::SetFocusID(ImGui::GetItemID(), ImGui::GetCurrentWindow());
  ImGui::SetNavCursorVisible(true);
}

void Ui::push_font(float size, Ink ink) const { ImGui::PushFont(font(ink), size * scale_); }

}  // namespace attnscope
