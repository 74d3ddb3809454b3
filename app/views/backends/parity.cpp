// app/views/backends: the card with the differences between the numbers of two backends, stage by stage: the
// largest difference, its ratio to the largest magnitude, and its place.
#include <algorithm>
#include <cmath>
#include <string>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/powers_of_ten.hpp"
#include "app/state/window_state.hpp"
#include "app/views/backends/floating_card.hpp"
#include "app/views/backends/switch.hpp"

namespace attnscope {
namespace {

/// Bars run from here to 1 on a logarithmic scale.
constexpr double least_shown = 1e-9;

/// The row with the largest difference relative to its magnitude; null if all are equal.
const ParityRow* worst_of(const Parity& parity) {
  const ParityRow* worst = nullptr;
  for (const ParityRow& row : parity.rows)
    if (row.difference.absolute > 0 &&
        (worst == nullptr || row.difference.relative() > worst->difference.relative()))
      worst = &row;
  return worst;
}

std::size_t misfits_of(const Parity& parity) {
  return static_cast<std::size_t>(std::count_if(
      parity.rows.begin(), parity.rows.end(),
      [](const ParityRow& row) { return !row.difference.comparable || row.difference.misfits > 0; }));
}

struct Verdict {
  std::string words;
  bool bad = false;
};

Verdict verdict_of(const Parity& parity) {
  if (const std::size_t rows = misfits_of(parity); rows > 0)
    return {"∞ and NaN do not stand at the same places in " +
                counted(static_cast<std::int64_t>(rows), "row below", "rows below"),
            true};
  const ParityRow* worst = worst_of(parity);
  if (worst == nullptr) return {"All numbers are equal to the last bit.", false};
  return {"largest relative difference " + tiny(worst->difference.relative()) + " · " + worst->name, false};
}

class ParityCard {
 public:
  ParityCard(Scene& scene, const Box& inner) : scene_(scene), ui_(scene.ui), inner_(inner), y_(inner.y) {}

  void draw() {
    const Backends& backends = scene_.backends;
    const float button = ui_.px(132);
    ui_.text(inner_.x, y_ + ui_.px(13), "Numbers of two backends",
             {type::body, ui_.theme.text1, Ink::Semibold});
    draw_progress({inner_.right() - button, y_, button, ui_.px(26)});
    y_ += ui_.px(36);
    const Parity* parity = backends.parity();
    if (backends.is_alone()) {
      say("There is nothing to compare the CPU with. " + backends.why_alone());
    } else if (backends.comparison() && backends.comparison()->is_done() &&
               !backends.comparison()->result()) {
      say(backends.comparison()->error());
    } else if (parity == nullptr) {
      say("The other backend computes this document, too.");
    } else {
      draw_table(*parity);
    }
  }

 private:
  Box row() {
    const Box box{inner_.x, y_, inner_.w, ui_.px(18)};
    y_ += box.h;
    return box;
  }

  void say(std::string_view sentence) {
    y_ += ui_.paragraph(inner_.x, y_, inner_.w, sentence, {type::label, ui_.theme.text2});
  }

  /// The progress of the comparison, with a button to stop it, or to start it again.
  void draw_progress(const Box& box) {
    Backends& backends = scene_.backends;
    const ParityTask* task = backends.comparison();
    if (task == nullptr || backends.is_alone()) return;
    if (!task->is_done()) {
      if (button(ui_, "Stop comparing", box, {"Stop comparing", {}, "The last comparison stays."}))
        backends.stop_comparing();
      const Box track{box.x - ui_.px(132), box.centre_y() - ui_.px(2), ui_.px(120), ui_.px(4)};
      ui_.fill(track, ui_.theme.control_hover, ui_.px(2));
      ui_.fill({track.x, track.y, track.w * static_cast<float>(task->progress().share()), track.h},
               ui_.theme.query, ui_.px(2));
    } else if (!task->result()) {
      if (button(ui_, "Compare again", box,
                 {"Compare again", {}, "The other backend computes this document once more."}))
        backends.compare_again();
    }
  }

  struct Columns {
    float absolute, relative, at;  // right ends of numbers, left end of places
  };
  Columns columns() const { return {inner_.x + ui_.px(330), inner_.x + ui_.px(410), inner_.x + ui_.px(430)}; }

  void draw_table(const Parity& parity) {
    const Verdict verdict = verdict_of(parity);
    ui_.text(
        inner_.x, y_ + ui_.px(6), verdict.words,
        {type::label, verdict.bad ? ui_.theme.error : ui_.theme.text1, Ink::Medium, Align::Left, inner_.w});
    y_ += ui_.px(22);
    std::string pair = own(parity.first) + " beside " + own(parity.second);
    if (!parity.is_complete) pair += " · rows known so far";
    ui_.text(inner_.x, y_ + ui_.px(6), pair,
             {type::tick, ui_.theme.text3, Ink::Regular, Align::Left, inner_.w});
    y_ += ui_.px(22);
    const Box box = row();
    const auto head = [&](float x, std::string_view words, Align align) {
      ui_.text(x, box.centre_y(), words, {type::tick, ui_.theme.text3, Ink::Regular, align});
    };
    head(columns().absolute, "largest difference", Align::Right);
    head(columns().relative, "relative", Align::Right);
    head(columns().at, "at", Align::Left);
    for (const ParityRow& each : parity.rows) draw_row(parity, each);
  }

  void draw_row(const Parity& parity, const ParityRow& each) {
    const Box box = row();
    const Difference& d = each.difference;
    const Ui::Touch touch = ui_.touch(("parity " + each.name).c_str(), box, false);
    if (touch.hovered) ui_.fill(box, ui_.theme.control_hover, ui_.px(4));
    const float y = box.centre_y();
    ui_.text(box.x, y, each.name, {type::tick, ui_.theme.text1, Ink::Regular, Align::Left, ui_.px(132)});
    const Rgba quiet = ui_.theme.text3;
    if (!d.comparable) {
      ui_.text(columns().absolute, y, "only on one of them",
               {type::tick, ui_.theme.error, Ink::Medium, Align::Right});
      return;
    }
    draw_bar({box.x + ui_.px(140), y - ui_.px(2), ui_.px(80), ui_.px(4)}, d);
    const Rgba ink = d.absolute > 0 ? ui_.theme.text1 : quiet;
    ui_.text(columns().absolute, y, tiny(d.absolute), {type::tick, ink, Ink::Regular, Align::Right});
    ui_.text(columns().relative, y, tiny(d.relative()), {type::tick, ink, Ink::Regular, Align::Right});
    const float room = inner_.right() - columns().at;
    if (d.misfits > 0) {
      ui_.text(columns().at, y,
               "∞ or NaN: " + grouped(d.misfits) + ", " + own(place_in(d.shape, d.misfit_at)),
               {type::tick, ui_.theme.error, Ink::Medium, Align::Left, room});
    } else if (d.at >= 0) {
      ui_.text(columns().at, y, own(place_in(d.shape, d.at)),
               {type::tick, ui_.theme.text2, Ink::Regular, Align::Left, room});
    } else {
      ui_.text(columns().at, y, "equal", {type::tick, quiet, Ink::Regular, Align::Left, room});
    }
    tell(parity, each, touch, box);
  }

  void draw_bar(const Box& track, const Difference& d) {
    ui_.fill(track, ui_.theme.bar_ground, ui_.px(2));
    if (d.misfits > 0) return ui_.fill(track, ui_.theme.error, ui_.px(2));
    if (d.absolute == 0) return;
    const double decades = std::log10(std::clamp(d.relative(), least_shown, 1.0) / least_shown);
    const auto share = static_cast<float>(decades / -std::log10(least_shown));
    ui_.fill({track.x, track.y, std::max(share * track.w, ui_.px(2)), track.h}, ui_.theme.bar, ui_.px(2));
  }

  /// The switch's name for it, which leaves room for its number.
  std::string short_name(const std::string& backend) const {
    const std::optional<std::size_t> choice = scene_.backends.find(backend);
    return own(choice ? scene_.backends.choices()[*choice].name : backend);
  }

  /// The tooltip with both numbers at the largest difference, with all their digits.
  void tell(const Parity& parity, const ParityRow& each, const Ui::Touch& touch, const Box& box) {
    const Difference& d = each.difference;
    if (d.at < 0) return;
    const std::string numbers = short_name(parity.first) + "  " + own_number(significant(d.first, 9)) +
                                "   " + short_name(parity.second) + "  " +
                                own_number(significant(d.second, 9));
    const std::string why = "at " + own(place_in(d.shape, d.at)) + " of " + own(to_string(d.shape));
    tooltip(ui_, touch.hovered, box, {each.name, numbers, why});
  }

  Scene& scene_;
  const Ui& ui_;
  Box inner_;
  float y_;
};

float height_of(const Scene& scene, float inner) {
  const Ui& ui = scene.ui;
  const Backends& backends = scene.backends;
  const float head = ui.px(36);
  if (backends.is_alone())
    return head + ui.paragraph_height(inner,
                                      "There is nothing to compare the CPU with. " + backends.why_alone(),
                                      type::label);
  const ParityTask* task = backends.comparison();
  if (task && task->is_done() && !task->result())
    return head + ui.paragraph_height(inner, task->error(), type::label);
  if (!backends.parity()) return head + ui.px(24);
  return head + ui.px(44) + ui.px(18) * static_cast<float>(backends.parity()->rows.size() + 1);
}

}  // namespace

void draw_parity(Scene& scene, const Box& below) {
  if (!scene.view.parity) return;
  const Ui& ui = scene.ui;
  const float pad = ui.px(16), width = ui.px(600), inner = width - 2 * pad;
  const float beside = scene.view.timings ? timings_width(scene) + ui.px(8) : 0;
  const float x = std::max(ui.px(16), below.right() - ui.px(16) - beside - width);
  const Box box{std::round(x), below.bottom() + ui.px(8), width, height_of(scene, inner) + 2 * pad};
  const FloatingCard card(ui, "parity", box);
  ParityCard(scene, {box.x + pad, card.top() + pad, inner, box.h}).draw();
}

}  // namespace attnscope
