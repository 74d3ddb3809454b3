// app/pages/model: contributions to the logit of a token: embedding, heads and MLPs, the largest one by one,
// the rest summed, and every head in a small map.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/pages/model/why/why.hpp"

namespace attnscope {
namespace {

class WhyLogit {
 public:
  WhyLogit(Scene& scene, const WhyReading& why, const Box& region)
      : scene_(scene),
        ui_(scene.ui),
        spec_(scene.model->within.model->model->spec),
        of_(output_attention(spec_)),
        why_(why),
        split_(why.logit),
        pad_(region_pad(scene)),
        area_{region.x + pad_, region.y, region.w - 2 * pad_, region.h} {}

  void draw() {
    float top = area_.y + title_height(ui_);
    draw_sum(top);
    top += ui_.px(scene_.compact ? 40 : 56);
    ui_.horizontal(area_.x, top - ui_.px(6), area_.w, ui_.theme.hairline);
    const float map = map_height();
    const float row = ui_.px(scene_.compact ? 19 : 21);
    const float room = area_.bottom() - map - ui_.px(8) - top;
    const auto rows = static_cast<std::size_t>(std::max(0.f, std::floor(room / row)));
    if (rows >= 4) draw_bars(top, row, rows);
    if (map > 0) draw_heads({area_.x, area_.bottom() - map, area_.w, map});
  }

 private:
  float map_height() const {
    if (area_.h < ui_.px(380)) return 0;
    return ui_.px(scene_.compact ? 92 : 124);
  }

  double sum_of(StreamPart::Kind kind, std::size_t& count) const {
    double sum = 0;
    for (std::size_t i = 0; i < split_.parts.size(); ++i) {
      if (split_.parts[i].kind != kind) continue;
      sum += split_.values[i];
      ++count;
    }
    return sum;
  }

  void draw_sum(float top) {
    const float y = top + ui_.px(scene_.compact ? 10 : 16);
    const float x =
        area_.x +
        ui_.text(area_.x, y, fixed(split_.logit, 2),
                 {scene_.compact ? 20.f : type::readout * 0.85f, ui_.theme.text1, Ink::Semibold}) +
        ui_.px(14);
    std::size_t heads = 0, mlps = 0, embeddings = 0;
    const double of_heads =
        sum_of(StreamPart::Kind::Head, heads) + sum_of(StreamPart::Kind::CrossHead, heads);
    const double of_mlps = sum_of(StreamPart::Kind::Mlp, mlps);
    const double embed = sum_of(StreamPart::Kind::Embedding, embeddings);
    double all = 0;
    for (const double value : split_.values) all += value;
    const double rest = all - of_heads - of_mlps - embed;
    const auto plus = [](double value) { return (value < 0 ? "− " : "+ ") + fixed(std::abs(value), 2); };
    const std::string first = "= embed " + fixed(embed, 2) + " " + own_number(plus(of_heads)) + " of " +
                              counted(heads, "head", "heads");
    std::string second = own_number(plus(of_mlps)) + " of " + std::to_string(mlps) + " MLPs";
    if (std::abs(rest) >= 0.005) second += "  " + own_number(plus(rest)) + " rest";
    const TextStyle style{type::tick, ui_.theme.text2, Ink::Regular, Align::Left, area_.right() - x};
    ui_.text(x, y - ui_.px(8), first, style);
    ui_.text(x, y + ui_.px(8), second, style);
  }

  void draw_bars(float top, float height, std::size_t rows) {
    std::vector<PartGroup> groups = group_parts(split_.parts, split_.values, rows);
    // By size; summed groups come last.
    std::ranges::stable_sort(groups, [](const PartGroup& a, const PartGroup& b) {
      const bool single_a = a.kind == PartGroup::Kind::Single, single_b = b.kind == PartGroup::Kind::Single;
      if (single_a != single_b) return single_a;
      return single_a && std::abs(a.sum) > std::abs(b.sum);
    });
    double most = 1e-12;
    for (const PartGroup& group : groups) most = std::max(most, std::abs(group.sum));
    for (const PartGroup& group : groups) {
      draw_bar(group, {area_.x, top, area_.w, height}, most);
      top += height;
    }
  }

  void draw_bar(const PartGroup& group, const Box& line, double most) {
    const std::optional<ModelHead> head = head_of(of_, split_.parts, group);
    const PartName name = part_name(split_.parts, group);
    const bool single = group.kind == PartGroup::Kind::Single;
    const std::string words =
        single ? name.line() : std::to_string(group.members.size()) + " " + inner(name.line());
    const Ui::Touch touch = ui_.touch(("logit part " + name.line()).c_str(), line, head.has_value());
    const bool chosen = head && *head == chosen_head(scene_);
    if (chosen) ui_.fill(line.grown(ui_.px(1)), ui_.theme.raised, ui_.px(3));
    if (chosen) ui_.fill({line.x - ui_.px(6), line.y, ui_.px(2), line.h}, ui_.theme.query);
    draw_link_marks(ui_, touch, line.grown(ui_.px(1)), head.has_value());
    const float y = line.centre_y(), names = ui_.px(scene_.compact ? 104 : 108), numbers = ui_.px(56);
    ui_.text(line.x, y, words,
             {type::label, single ? ui_.theme.text1 : ui_.theme.text3, Ink::Regular, Align::Left,
              names - ui_.px(4)});
    const Box bars{line.x + names, line.y, line.w - names - numbers, line.h};
    const float zero = std::round(bars.x + bars.w * 0.3f);
    const float unit = std::min(bars.right() - zero, (zero - bars.x) / 0.43f);
    const float length =
        std::clamp(static_cast<float>(group.sum / most) * unit, bars.x - zero, bars.right() - zero);
    const float width = std::max(ui_.px(1), std::round(std::abs(length)));
    ui_.fill({length < 0 ? zero - width : zero, std::round(y - ui_.px(4)), width, ui_.px(9)},
             colour_of_share(ui_, group.sum), ui_.px(1));
    ui_.vertical(zero, line.y, line.h, ui_.theme.border);
    ui_.text(line.right(), y, signed_number(group.sum),
             {type::label, ui_.theme.text1, Ink::Medium, Align::Right});
    tooltip(ui_, touch.hovered, line,
            {words, signed_number(group.sum),
             "What this adds to the logit by itself, not counting what others make of it.",
             head ? std::string_view("click") : std::string_view()});
    if (touch.clicked && head) go_to_head(scene_, *head, why_.row);
  }

  /// Every head: layers across, heads down.
  void draw_heads(const Box& area) {
    const StackSpec& stack = spec_.stack(of_);
    const auto blocks = static_cast<std::int64_t>(stack.blocks.size());
    std::int64_t heads = 1;
    for (const LayerSpec& block : stack.blocks) heads = std::max<std::int64_t>(heads, block.heads);
    Tensor values(Shape{heads, blocks});
    float most = 1e-12f;
    for (std::size_t i = 0; i < split_.parts.size(); ++i) {
      const StreamPart& part = split_.parts[i];
      if (part.kind != StreamPart::Kind::Head) continue;
      const auto value = static_cast<float>(split_.values[i]);
      values.matrix()(part.head, part.block) = value;
      most = std::max(most, std::abs(value));
    }
    const float y = area.y + ui_.px(10);
    ui_.horizontal(area.x, area.y - ui_.px(6), area.w, ui_.theme.hairline);
    const float end =
        area.x + ui_.text(area.x, y, "every head", {type::label, ui_.theme.text1, Ink::Semibold});
    const std::string span = "±" + fixed(static_cast<double>(most), 2);
    const float span_width =
        ui_.text(area.right(), y, span, {type::tick, ui_.theme.text2, Ink::Regular, Align::Right});
    ui_.text(end + ui_.px(10), y, "layers across, heads down",
             {type::tick, ui_.theme.text3, Ink::Regular, Align::Left,
              area.right() - end - span_width - ui_.px(18)});
    const Box map{area.x, area.y + ui_.px(24), area.w, area.h - ui_.px(46)};
    const ColourScale scale{.map = ui_.theme.scores, .low = -most, .high = most, .zero_centred = true};
    std::uint64_t content = mix_hash(std::uint64_t{17}, most);
    for (const float number : {map.w, map.h, static_cast<float>(ui_.theme.name)})
      content = mix_hash(content, number);
    for (const float value : values.values()) content = mix_hash(content, value);
    ui_.matrix("head attribution", content, map, [&](const Ui::UseJob& use) {
      RasterJob job = whole_matrix(ui_, std::as_const(values).matrix(), colormap(scale.map), map);
      job.low = scale.low;
      job.high = scale.high;
      use(job);
    });
    draw_axis(map, blocks);
    take_head(map, values);
  }

  void draw_axis(const Box& map, std::int64_t blocks) {
    const ModelHead chosen = chosen_head(scene_);
    const float side = map.w / static_cast<float>(blocks);
    const auto step = static_cast<std::int64_t>(std::ceil(ui_.px(40) / side));
    const float y = map.bottom() + ui_.px(11);
    for (std::int64_t block = 0; block < blocks; ++block) {
      const bool is_chosen = chosen.of == of_ && chosen.block == block;
      const bool near =
          std::abs(static_cast<float>(chosen.block - block)) * side < ui_.px(22) && chosen.of == of_;
      if (!is_chosen && (near || block % step != 0)) continue;
      ui_.text(map.x + (static_cast<float>(block) + 0.5f) * side, y, std::to_string(block),
               {type::tick, is_chosen ? ui_.theme.query : ui_.theme.text2,
                is_chosen ? Ink::Semibold : Ink::Regular, Align::Centre});
    }
  }

  void take_head(const Box& map, const Tensor& values) {
    const auto rows = values.shape()[0], columns = values.shape()[1];
    const ModelHead chosen = chosen_head(scene_);
    if (chosen.of == of_ && chosen.head < rows)
      ui_.frame(cell_box(map, chosen.head, chosen.block, rows, columns).grown(ui_.px(1)), ui_.theme.query,
                ui_.px(2), ui_.px(2));
    const Ui::Touch touch = ui_.touch("head attribution", map, false);
    if (!touch.pointed && !touch.clicked) return;
    const Cell at = cell_at(map, ImGui::GetIO().MousePos, rows, columns);
    const ModelHead head{of_, static_cast<int>(at.key), at.query};
    if (head.head >= heads_in(spec_, of_, head.block)) return;
    const double value = static_cast<double>(values.matrix()(at.query, at.key));
    tooltip(ui_, touch.hovered, cell_box(map, at.query, at.key, rows, columns),
            {"head " + attnscope::head_name(spec_, head), signed_number(value),
             "What this adds to the logit by itself, not counting what others make of it.", "click"});
    if (touch.clicked) go_to_head(scene_, head, why_.row);
  }

  Scene& scene_;
  const Ui& ui_;
  const ModelSpec& spec_;
  AttentionOf of_;
  const WhyReading& why_;
  const LogitSplit& split_;
  float pad_;
  Box area_;
};

}  // namespace

void draw_why_logit(Scene& scene, const WhyReading* why, const Box& region) {
  const WhyState& split = model_state_of(scene.view).split;
  WhyRegion what{.ground = scene.ui.theme.panel, .title = "What adds to the logit", .note = {}};
  if (why == nullptr || !why->logit_problem.empty()) {
    what.problem = why == nullptr ? std::string(no_why(scene)) : why->logit_problem;
  } else {
    what.title = "What adds to “" + own(split.token_name) + "”";
    what.note = why->asked.minus ? "logit − logit of " + own(split.minus_name) : "logit − mean";
  }
  if (begin_why(scene, region, what)) WhyLogit(scene, *why, region).draw();
}

}  // namespace attnscope
