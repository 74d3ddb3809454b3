#include "app/kit/draw/svg.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text/utf8.hpp"

namespace attnscope {
namespace {

using Area = SvgCanvas::Area;

bool overlap(const Area& a, const Area& b) {
  return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}
bool inside(const Area& inner, const Area& outer) {
  return inner.x >= outer.x && inner.y >= outer.y && inner.right() <= outer.right() &&
         inner.bottom() <= outer.bottom();
}
Area common(const Area& a, const Area& b) {
  const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(0.f, std::min(a.right(), b.right()) - x),
          std::max(0.f, std::min(a.bottom(), b.bottom()) - y)};
}

/// Two decimals, a hundredth of a pixel, without trailing zeros.
std::string number(float value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

/// fill="#rrggbb", and fill-opacity where it is not opaque.
std::string paint(std::string_view what, Rgba colour) {
  const unsigned red = colour & 255, green = colour >> 8 & 255, blue = colour >> 16 & 255,
                 alpha = colour >> 24;
  std::string text = fmt::format(" {}=\"#{:02x}{:02x}{:02x}\"", what, red, green, blue);
  if (alpha < 255) text += fmt::format(" {}-opacity=\"{}\"", what, number(static_cast<float>(alpha) / 255));
  return text;
}

bool is_seen(Rgba colour) { return colour >> 24 != 0; }

std::string attribute(std::string_view name, float value) {
  return fmt::format(" {}=\"{}\"", name, number(value));
}

std::string place(const Area& area) {
  return attribute("x", area.x) + attribute("y", area.y) + attribute("width", area.w) +
         attribute("height", area.h);
}

/// The text escaped for XML; characters that XML does not allow become U+FFFD.
std::string escaped(std::string_view text) {
  std::string out;
  const bool valid = is_valid_utf8(text);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (byte < 32 || byte == 127 || (!valid && byte >= 128)) {
      out += "\uFFFD";
    } else {
      out += c;
    }
  }
  // U+FFFE and U+FFFF, which are not characters.
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (std::size_t at = out.find(none); at != std::string::npos; at = out.find(none))
      out.replace(at, 3, "\uFFFD");
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

Area bounds_of(std::span<const SvgCanvas::Point> points, float margin) {
  float x0 = points[0].x, y0 = points[0].y, x1 = x0, y1 = y0;
  for (const SvgCanvas::Point& p : points) {
    x0 = std::min(x0, p.x), x1 = std::max(x1, p.x);
    y0 = std::min(y0, p.y), y1 = std::max(y1, p.y);
  }
  return {x0 - margin, y0 - margin, x1 - x0 + 2 * margin, y1 - y0 + 2 * margin};
}

std::string list(std::span<const SvgCanvas::Point> points) {
  std::string out = " points=\"";
  for (const SvgCanvas::Point& p : points)
    out += fmt::format("{}{},{}", &p == points.data() ? "" : " ", number(p.x), number(p.y));
  return out + "\"";
}

}  // namespace

void SvgCanvas::begin(const void* layer, const Area& clip) {
  const auto found = std::find_if(layers_.begin(), layers_.end(),
                                  [layer](const Layer& known) { return known.key == layer; });
  layer_ = static_cast<std::size_t>(found - layers_.begin());
  if (found == layers_.end()) layers_.push_back({layer, {}, {}, false});
  clip_ = common(clip, region_);
}

int SvgCanvas::clip_id(const Area& area) {
  const auto at = std::find(clips_.begin(), clips_.end(), area) - clips_.begin();
  if (at == std::ssize(clips_)) clips_.push_back(area);
  return static_cast<int>(at);
}

bool SvgCanvas::add(const Area& bounds, std::string_view element) {
  if (clip_.w <= 0 || clip_.h <= 0 || !overlap(bounds, clip_)) return false;
  if (layers_.empty()) begin(nullptr, region_);
  Layer& layer = layers_[layer_];
  // No clip is needed at the page's own edge, nor for a shape inside the clip.
  const bool needs_clip = clip_ != region_ && !inside(bounds, clip_);
  if (layer.grouped && (!needs_clip || layer.clip != clip_)) {
    layer.elements += "</g>\n";
    layer.grouped = false;
  }
  if (needs_clip && !layer.grouped) {
    layer.elements += fmt::format("<g clip-path=\"url(#clip{})\">\n", clip_id(clip_));
    layer.clip = clip_;
    layer.grouped = true;
  }
  layer.elements += element;
  layer.elements += '\n';
  return true;
}

void SvgCanvas::rect(const Area& whole, Rgba colour, float radius) {
  if (!is_seen(colour)) return;
  const Area area = radius > 0 ? whole : common(whole, region_);  // a rectangle ends at the edge of the page
  const std::string round = radius > 0 ? attribute("rx", std::min({radius, area.w / 2, area.h / 2})) : "";
  add(area, fmt::format("<rect{}{}{}/>", place(area), round, paint("fill", colour)));
}

void SvgCanvas::outline(const Area& area, Rgba colour, float thickness, float radius) {
  if (!is_seen(colour) || area.w <= 1 || area.h <= 1) return;
  // Dear ImGui's line runs half a pixel inside.
  const Area middle{area.x + 0.5f, area.y + 0.5f, area.w - 1, area.h - 1};
  const std::string round = radius > 0 ? attribute("rx", std::min({radius, area.w / 2, area.h / 2})) : "";
  const Area bounds{area.x - thickness, area.y - thickness, area.w + 2 * thickness, area.h + 2 * thickness};
  add(bounds, fmt::format("<rect{}{} fill=\"none\"{}{}/>", place(middle), round, paint("stroke", colour),
                          attribute("stroke-width", thickness)));
}

void SvgCanvas::circle(Point centre, float radius, Rgba colour) {
  if (!is_seen(colour)) return;
  add({centre.x - radius, centre.y - radius, 2 * radius, 2 * radius},
      fmt::format("<circle{}{}{}{}/>", attribute("cx", centre.x), attribute("cy", centre.y),
                  attribute("r", radius), paint("fill", colour)));
}

void SvgCanvas::ring(Point centre, float radius, Rgba colour, float thickness) {
  if (!is_seen(colour)) return;
  const float outer = radius + thickness;
  add({centre.x - outer, centre.y - outer, 2 * outer, 2 * outer},
      fmt::format("<circle{}{}{} fill=\"none\"{}{}/>", attribute("cx", centre.x), attribute("cy", centre.y),
                  attribute("r", std::max(0.f, radius - 0.5f)), paint("stroke", colour),
                  attribute("stroke-width", thickness)));
}

void SvgCanvas::polyline(std::span<const Point> points, Rgba colour, float thickness) {
  if (!is_seen(colour) || points.size() < 2) return;
  add(bounds_of(points, thickness),
      fmt::format("<polyline{} fill=\"none\"{}{} stroke-linejoin=\"round\"/>", list(points),
                  paint("stroke", colour), attribute("stroke-width", thickness)));
}

void SvgCanvas::polygon(std::span<const Point> points, Rgba colour) {
  if (!is_seen(colour) || points.size() < 3) return;
  add(bounds_of(points, 0), fmt::format("<polygon{}{}/>", list(points), paint("fill", colour)));
}

void SvgCanvas::text(const Text& style, std::string_view text) {
  if (!is_seen(style.colour) || text.empty()) return;
  const float shift = style.width * style.anchor, below = style.em * 0.3f;
  // The start of right-to-left text is its right end.
  const float left_out = style.right_to_left ? 1 - style.anchor : style.anchor;
  const std::string_view anchor = left_out == 0 ? "" : left_out == 1 ? "end" : "middle";
  std::string look = style.weight == 400 ? "" : fmt::format(" font-weight=\"{}\"", style.weight);
  look += attribute("font-size", style.em);
  if (!anchor.empty()) look += fmt::format(" text-anchor=\"{}\"", anchor);
  if (text.size() > 1) look += attribute("textLength", style.width) + " lengthAdjust=\"spacingAndGlyphs\"";
  if (style.right_to_left) look += " direction=\"rtl\" unicode-bidi=\"embed\"";
  look += paint("fill", style.colour);
  if (style.upright) {
    add({style.from.x - style.above, style.from.y - style.width, style.above + below, style.width},
        fmt::format("<text{}{} transform=\"translate({} {}) rotate(-90)\"{}>{}</text>", attribute("x", shift),
                    attribute("y", 0), number(style.from.x), number(style.from.y), look, escaped(text)));
  } else {
    add({style.from.x, style.from.y - style.above, style.width, style.above + below},
        fmt::format("<text{}{}{}>{}</text>", attribute("x", style.from.x + shift),
                    attribute("y", style.from.y), look, escaped(text)));
  }
}

void SvgCanvas::image(const Area& area, const Image& image, float opacity) {
  if (image.width <= 0 || image.height <= 0) return;
  const std::string see_through = opacity < 1 ? attribute("opacity", opacity) : "";
  add(area, fmt::format("<image{}{} preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
                        "href=\"data:image/png;base64,{}\"/>",
                        place(area), see_through, base64(encode_png(image, true))));
}

int SvgCanvas::hatch_id(const RasterJob& job, const Area& area) {
  // Three lines, so that the pattern meets itself at its edges.
  const int step = hatch_every * job.mark;
  const float line = static_cast<float>(job.mark) * 0.75f;
  const std::string side = std::to_string(step), half = number(static_cast<float>(step) / 2);
  const std::string far = number(static_cast<float>(step) * 1.5f),
                    back = number(static_cast<float>(step) / -2);
  const std::string pattern = fmt::format(
      "width=\"{0}\" height=\"{0}\" patternTransform=\"translate({1} {2})\"><rect width=\"{0}\" "
      "height=\"{0}\"{3}/><path d=\"M{4} {5}L{5} {4}M0 {0}L{0} 0M{5} {6}L{6} {5}\" fill=\"none\"{7}{8}/>",
      side, number(area.x), number(area.y), paint("fill", job.colours.hatch_ground), back, half, far,
      paint("stroke", job.colours.hatch_line), attribute("stroke-width", line));
  const auto found = std::find(hatches_.begin(), hatches_.end(), pattern);
  if (found != hatches_.end()) return static_cast<int>(found - hatches_.begin());
  hatches_.push_back(pattern);
  return static_cast<int>(hatches_.size()) - 1;
}

void SvgCanvas::matrix(const Area& area, const RasterJob& job, float opacity) {
  if (!overlap(area, clip_)) return;
  const std::optional<std::vector<PaintedCell>> cells = visible_cells(job, most_cells);
  if (!cells) return image(area, raster(job), opacity);
  const auto size = [&](int from, int to, float all, int pixels) {
    return static_cast<float>(to - from) * all / static_cast<float>(std::max(1, pixels));
  };
  const auto box = [&](int x0, int y0, int x1, int y1) {
    return Area{area.x + size(0, x0, area.w, job.width), area.y + size(0, y0, area.h, job.height),
                size(x0, x1, area.w, job.width), size(y0, y1, area.h, job.height)};
  };
  std::string group = fmt::format("<g{}>", opacity < 1 ? attribute("opacity", opacity) : "");
  group += fmt::format("<rect{}{}/>\n", place(area), paint("fill", job.colours.ground));
  for (const PaintedCell& cell : *cells) {
    const auto& [x0, y0, x1, y1, colour] = cell.ground;
    const std::string fill =
        cell.hatched ? fmt::format(" fill=\"url(#hatch{})\"", hatch_id(job, area)) : paint("fill", colour);
    group += fmt::format("<rect{}{}/>\n", place(box(x0, y0, x1, y1)), fill);
    for (const PaintedCell::Part& mark : cell.marks)
      group += fmt::format("<rect{}{}/>\n", place(box(mark.x0, mark.y0, mark.x1, mark.y1)),
                           paint("fill", mark.colour));
  }
  add(area, group + "</g>");
}

std::string SvgCanvas::finish(std::string_view title, float scale) const {
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\"{}{} viewBox=\"{} {} {} {}\" xml:space=\"preserve\" "
      "font-family=\"Inter, 'DejaVu Sans', sans-serif\" style=\"font-variant-numeric:tabular-nums\">\n"
      "<title>{}</title>\n<defs>\n",
      attribute("width", region_.w / scale), attribute("height", region_.h / scale), number(region_.x),
      number(region_.y), number(region_.w), number(region_.h), escaped(title));
  for (std::size_t i = 0; i < clips_.size(); ++i)
    out += fmt::format("<clipPath id=\"clip{}\"><rect{}/></clipPath>\n", i, place(clips_[i]));
  for (std::size_t i = 0; i < hatches_.size(); ++i)
    out +=
        fmt::format("<pattern id=\"hatch{}\" patternUnits=\"userSpaceOnUse\" {}</pattern>\n", i, hatches_[i]);
  out += "</defs>\n";
  for (const Layer& layer : layers_) out += layer.elements + (layer.grouped ? "</g>\n" : "");
  return out + "</svg>\n";
}

}  // namespace attnscope
