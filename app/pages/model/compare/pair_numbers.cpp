// app/pages/model: below the pictures of a head: its distance to B's, and the entropies of both.
#include <algorithm>
#include <cmath>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/compare/compared_models.hpp"
#include "app/views/model_compare/tables.hpp"

namespace attnscope {
namespace {

/// The lines of one frame.
class PairNumbers {
 public:
  PairNumbers(Scene& scene, const ComparedModels& compared)
      : scene_(scene), ui_(scene.ui), compared_(compared) {}

  void draw(const Box& area, float row) {
    ui_.horizontal(area.x, area.y, area.w, ui_.theme.hairline);
    float y = area.y + ui_.px(6);
    const auto line = [&] {
      const Box box{area.x, y, area.w, row};
      y += row;
      return box;
    };
    draw_distance(line());
    draw_largest(line());
    const std::string now = entropy_words(compared_.a(), compared_.head);
    const std::string held = compared_.other ? entropy_words(compared_.b(), *compared_.other) : "–";
    fact(line(), "entropy ÷ ln n", "now " + now + "   held " + held,
         {"Entropy ÷ ln n",
          "H / ln n",
          "How evenly the weights are spread over the keys that a row may see, the mean over the rows: 1 is "
          "uniform.",
          {}});
    draw_row_of_cell(line());
  }

 private:
  const TokenMatch& queries() const { return compared_.attention.queries; }

  static std::string entropy_words(const ComparedRun& run, const ModelHead& head) {
    const double value = entropy_of({run.run, run.numbers}, head);
    return std::isnan(value) ? "–" : fixed(value, 2);
  }

  void fact(const Box& line, const char* name, const std::string& value, const Tip& tip) {
    const Ui::Touch touch = ui_.touch(name, line, false);
    const float end = line.x + ui_.text(line.x, line.centre_y(), name, {type::label, ui_.theme.text2});
    ui_.text(line.right(), line.centre_y(), value,
             {type::label, ui_.theme.text1, Ink::Medium, Align::Right, line.right() - end - ui_.px(8)});
    tooltip(ui_, touch.hovered, line, tip);
  }

  /// A bar from 0 to 1 with a tick at the value of uniform attention.
  void draw_distance(const Box& line) {
    const HeadDifference* const shown = compared_.shown();
    const Ui::Touch touch = ui_.touch("distance", line, false);
    const float name = ui_.px(scene_.compact ? 92 : 100), y = line.centre_y();
    ui_.text(line.x, y, "distance", {type::label, ui_.theme.text2});
    const Box track{line.x + name, std::round(y - ui_.px(3)), line.w - name - ui_.px(56), ui_.px(6)};
    ui_.fill(track, ui_.theme.bar_ground, ui_.px(2));
    const double value = shown != nullptr ? shown->distance : NAN;
    if (!std::isnan(value)) {
      const auto place = [&](double at) { return track.w * static_cast<float>(std::clamp(at, 0.0, 1.0)); };
      ui_.fill({track.x, track.y, value > 0 ? std::max(ui_.px(1), place(value)) : 0, track.h}, ui_.theme.bar,
               ui_.px(2));
      ui_.fill({std::round(track.x + place(shown->uniform)), track.y - ui_.px(3), std::max(1.f, ui_.px(1)),
                track.h + ui_.px(6)},
               ui_.theme.text2);
    }
    ui_.text(line.right(), y, distance_words(value),
             {type::label, ui_.theme.text1, Ink::Medium, Align::Right});
    const std::string uniform =
        shown != nullptr ? "tick: uniform attention " + distance_words(shown->uniform) : std::string();
    tooltip(
        ui_, touch.hovered, line,
        {"Total variation distance",
         uniform,
         "The mean over the rows that have a choice. The tick is the baseline: what it would be if uniform "
         "attention under the same mask were held.",
         {}});
  }

  void draw_largest(const Box& line) {
    const HeadDifference* const shown = compared_.shown();
    std::string words = "–";
    if (shown != nullptr) {
      words = change_words(static_cast<double>(shown->largest));
      if (shown->largest != 0)
        words = row_word(compared_.a(), compared_.attention.of, shown->query) + " → " +
                key_word(compared_.a(), compared_.attention.of, shown->key) + "   " + words;
    }
    fact(line, "largest change", words,
         {"Largest change", "now − held", "The single weight of this head that changes most.", {}});
  }

  /// The numbers of the marked row.
  void draw_row_of_cell(const Box& line) {
    const HeadDifference* const shown = compared_.shown();
    const std::optional<Cell> cell = marked_cell(scene_, compared_);
    std::string name = "row", value = "–";
    if (cell) name = row_word(compared_.a(), compared_.attention.of, cell->query);
    for (std::int64_t i = 0; shown != nullptr && cell && i < queries().count(); ++i)
      if (queries().in_a(i) == cell->query) {
        const float distance = shown->rows[static_cast<std::size_t>(i)];
        value = std::isnan(distance) ? "no choice" : distance_words(static_cast<double>(distance));
      }
    const float end = line.x + ui_.text(line.x, line.centre_y(), "row of ", {type::label, ui_.theme.text2});
    const Ui::Touch touch = ui_.touch("row distance", line, false);
    ui_.text(end + ui_.px(4), line.centre_y(), name,
             {type::label, ui_.theme.query, Ink::Medium, Align::Left, line.right() - end - ui_.px(70)});
    ui_.text(line.right(), line.centre_y(), value, {type::label, ui_.theme.text1, Ink::Medium, Align::Right});
    tooltip(ui_, touch.hovered, line,
            {"Distance of the chosen row", "½ Σ |now − held|", "Of the row's weights alone.", {}});
  }

  Scene& scene_;
  const Ui& ui_;
  const ComparedModels& compared_;
};

}  // namespace

std::optional<Cell> marked_cell(const Scene& scene, const ComparedModels& compared) {
  const Dimensions& d = scene.result.dimensions;
  const AttentionOf of = compared.attention.of;
  const ComparedRun& run = compared.a();
  if (d.queries != rows_of(*run.run, of) ||
      d.keys != keys_seen(compared.spec_a(), *run.run, of, compared.head.block).keys)
    return std::nullopt;
  return scene.cell();
}

void draw_pair_numbers(Scene& scene, const ComparedModels& compared, const Box& area, float row) {
  PairNumbers(scene, compared).draw(area, row);
}

}  // namespace attnscope
