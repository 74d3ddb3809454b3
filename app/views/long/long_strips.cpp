// app/views/long: the strips beside a long map, where many queries or keys share a pixel.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/views/long/long_parts.hpp"

namespace attnscope {
namespace {

/// Least, mean and largest number of one pixel; `count` is 0 if it has none.
struct Band {
  double least = INFINITY, most = -INFINITY, sum = 0;
  std::int64_t count = 0;
  void add(double v) {
    if (!std::isfinite(v)) return;
    least = std::min(least, v);
    most = std::max(most, v);
    sum += v;
    ++count;
  }
  double mean() const { return sum / static_cast<double>(count); }
};

/// The tokens [from, to) of a pixel of an axis.
std::pair<std::int64_t, std::int64_t> behind(const Axis& axis, float pixel) {
  const auto from = static_cast<std::int64_t>(std::floor(axis.at(axis.place.begin + pixel)));
  const auto to = static_cast<std::int64_t>(std::ceil(axis.at(axis.place.begin + pixel + 1)));
  return {std::clamp<std::int64_t>(from, 0, axis.count - 1),
          std::clamp<std::int64_t>(to, from + 1, axis.count)};
}

Band entropy_behind(const Axis& queries, std::int64_t h, const Survey& survey, float pixel) {
  const auto row = survey.known.entropy.matrix().row(h - survey.known.first_head);
  const auto [from, to] = behind(queries, pixel);
  const std::int64_t step = survey.known.rows.step;
  Band band;
  for (std::int64_t r = (from + step - 1) / step; r * step < to; ++r) band.add(static_cast<double>(row(r)));
  // Without a known query in the pixel, takes the last known one before it.
  if (band.count == 0) band.add(static_cast<double>(row(survey.row_of(from))));
  return band;
}

/// Attention received per key: exact once every query is known; before, estimated from the picture's means.
/// `of`: the scene with that survey.
Band received_behind(const MapFrame& m, const Scene& of, float pixel) {
  const Survey& survey = survey_of(of);
  const auto [from, to] = behind(m.keys(), pixel);
  Band band;
  if (survey.is_complete() && survey.known.received.size() > 0) {
    const auto sums = survey.known.received.matrix().row(m.h - survey.known.first_head);
    for (std::int64_t j = from; j < to; ++j) band.add(static_cast<double>(sums(j)));
    return band;
  }
  const std::vector<float>& means = of.stats.picture_columns(of.sequence(), m.h);
  const double queries = static_cast<double>(m.scene.result.dimensions.queries);
  for (std::int64_t cell = from / survey.cell; cell * survey.cell < to; ++cell)
    band.add(static_cast<double>(means[static_cast<std::size_t>(cell)]) * queries);
  return band;
}

double most_entropy(std::int64_t keys) {
  return std::log(static_cast<double>(std::max<std::int64_t>(2, keys)));
}

/// The place of a sum of weights on a logarithmic axis from 10⁻³ to the number of queries, 0 … 1.
double place_of_received(const MapFrame& m, double sum) {
  const double least = 1e-3, most = static_cast<double>(m.queries().count);
  return std::clamp(std::log(std::max(sum, least) / least) / std::log(most / least), 0.0, 1.0);
}

/// One strip. draw_strip() gets each pixel's Band from `look`, and from `place` the place of a value in 0
/// … 1.
struct LongStrip {
  const Axis& axis;
  Box box;
  bool upright;  // along the rows
  Rgba hue;
  bool is_second = false;  // draws only the line of means, over a strip that is drawn
};

template <class Look, class Place>
void draw_strip(const Ui& ui, const LongStrip& strip, const Look& look, const Place& place) {
  if (!strip.is_second) ui.fill(strip.box, ui.theme.panel);
  const float thick = strip.upright ? strip.box.w : strip.box.h;
  const Rgba faint = fade(ui.theme.bar, 0.6f);
  std::vector<ImVec2> line;
  for (float pixel = 0; pixel < strip.axis.place.length; ++pixel) {
    const Band band = look(pixel);
    if (band.count == 0) continue;
    const auto at = [&](double value) { return static_cast<float>(place(value)) * (thick - 1); };
    const float low = at(band.least), high = at(band.most), mean = at(band.mean());
    if (strip.upright) {
      if (!strip.is_second)
        ui.fill({strip.box.x + low, strip.box.y + pixel, std::max(1.f, high - low), 1}, faint);
      line.push_back({strip.box.x + mean, strip.box.y + pixel + 0.5f});
    } else {
      if (!strip.is_second)
        ui.fill({strip.box.x + pixel, strip.box.bottom() - std::max(1.f, high), 1, std::max(1.f, high)},
                faint);
      line.push_back({strip.box.x + pixel + 0.5f, strip.box.bottom() - mean});
    }
  }
  if (line.size() > 1) ui.polyline(line, strip.hue, std::max(1.f, ui.px(1)));
}

}  // namespace

void draw_long_strips(const MapFrame& m, float width, bool difference) {
  const Ui& ui = m.ui();
  const float x = m.cells.right() + m.strip_gap();
  const auto share = [&](double nats) { return std::clamp(nats / most_entropy(m.keys().count), 0.0, 1.0); };
  const auto log_share = [&](double sum) { return place_of_received(m, sum); };
  const Box right{x, m.cells.y, width, m.cells.h};
  const Box below{m.cells.x, m.cells.bottom() + ui.px(10), m.cells.w, ui.px(34)};
  const TextStyle name{type::tick, ui.theme.text2},
      note{type::tick, ui.theme.text3, Ink::Regular, Align::Right};
  const std::string most = m.turned() ? grouped(m.queries().count) : fixed(most_entropy(m.keys().count), 1);
  ui.text(x, m.cells.y - ui.px(28), m.turned() ? "received" : "entropy", name);
  ui.text(x, m.cells.y - ui.px(12), m.turned() ? "log" : "0", {type::tick, ui.theme.text3});
  ui.text(x + width, m.cells.y - ui.px(12), most, note);
  ui.text(m.cells.x - ui.px(10), below.y + ui.px(9), m.turned() ? "entropy" : "received",
          {type::tick, ui.theme.text2, Ink::Regular, Align::Right});
  ui.text(m.cells.x - ui.px(10), below.y + ui.px(25), m.turned() ? "nats" : "Σ, log", note);
  const auto draw = [&](const Scene& of, Rgba query_hue, Rgba key_hue, bool is_second) {
    const Survey& survey = survey_of(of);
    const auto entropy = [&](float pixel) { return entropy_behind(m.queries(), m.h, survey, pixel); };
    const auto received = [&](float pixel) { return received_behind(m, of, pixel); };
    const LongStrip queries{m.queries(), m.turned() ? below : right, !m.turned(), query_hue, is_second};
    const LongStrip keys{m.keys(), m.turned() ? right : below, m.turned(), key_hue, is_second};
    draw_strip(ui, queries, entropy, share);
    draw_strip(ui, keys, received, log_share);
  };
  draw(m.scene, ui.theme.query, ui.theme.key, false);
  if (!difference) return;
  const Scene held = scene_of_held(m.scene);
  draw(held, ui.theme.b, ui.theme.b, true);
}

void draw_entropy_of_queries(const Scene& a, const Scene* b, const Box& box) {
  const auto draw = [&](const Scene& scene, Rgba hue, bool is_second) {
    const Dimensions& d = scene.result.dimensions;
    const Axis queries{false, d.queries, 0, static_cast<double>(d.queries), {box.x, box.w}};
    const std::int64_t h = scene.head();
    draw_strip(
        a.ui, LongStrip{queries, box, false, hue, is_second},
        [&](float pixel) { return entropy_behind(queries, h, survey_of(scene), pixel); },
        [&](double nats) { return std::clamp(nats / most_entropy(a.result.dimensions.keys), 0.0, 1.0); });
  };
  draw(a, a.ui.theme.query, false);
  if (b) draw(*b, b->ui.theme.b, true);
}

}  // namespace attnscope
