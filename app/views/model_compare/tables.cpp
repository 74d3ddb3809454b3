#include "app/views/model_compare/tables.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include "app/kit/ui/number_format.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/results/changed_model.hpp"
#include "app/views/atlas/tables.hpp"
#include "app/views/model/facts.hpp"

namespace attnscope {
namespace {

constexpr Tip distance_tip{
    "Total variation distance",
    "½ Σ |now − held|",
    "Of the weights of a row, the mean over the rows that have a choice: 0 the same, 1 all weight on other "
    "tokens.",
    {}};
constexpr Tip largest_tip{
    "Largest change", "now − held", "The change of a single weight that is largest in magnitude.", {}};
constexpr Tip uniform_tip{
    "Baseline: uniform attention",
    "½ Σ |now − 1/n|",
    "The distance that the head would have if uniform attention under the same mask stood in the place of "
    "what is held.",
    {}};

/// A number of one head, if it is known.
template <class Number>
TableColumn number_column(std::string name, const ModelDifference& difference,
                          const std::shared_ptr<const std::vector<ComparedHead>>& heads, Number number) {
  return {.name = std::move(name), .cell = [&difference, heads, number](std::size_t row) -> TableCell {
            const ComparedHead& head = (*heads)[row];
            const HeadDifference* const found = difference.head(head.of, head.block, head.head);
            if (found == nullptr) return {};
            return number(*found);
          }};
}

TableColumn on_screen(TableColumn column, std::string_view title, std::string (*written)(double),
                      const Tip& tip) {
  column.title = title;
  column.written = written;
  column.tip = tip;
  return column;
}

}  // namespace

std::string distance_words(double value) {
  if (std::isnan(value)) return own("–");
  if (value == 0) return own("0");
  return own_number(std::abs(value) < 0.005 ? tight(value) : fixed(value, 2));
}

std::string change_words(double value) { return own_number((value > 0 ? "+" : "") + distance_words(value)); }

std::vector<ComparedHead> known_heads(const ModelDifference& difference) {
  std::vector<ComparedHead> heads;
  for (const ModelDifference::Attention& attention : difference.attentions)
    for (std::size_t layer = 0; layer < attention.layers.size(); ++layer) {
      if (!attention.layers[layer]) continue;  // not known yet
      for (std::size_t head = 0; head < attention.layers[layer]->size(); ++head)
        heads.push_back({attention.of, static_cast<int>(layer), static_cast<std::int64_t>(head)});
    }
  return heads;
}

Table compared_heads_table(const ModelDifference& difference, std::vector<ComparedHead> rows) {
  const auto heads = std::make_shared<const std::vector<ComparedHead>>(std::move(rows));
  const ComparedRun &a = difference.asked.a, &b = difference.asked.b;
  const ModelSpec* const spec = &a.model->model->spec;
  Table table{.rows = heads->size(), .columns = {}};
  const auto add = [&](TableColumn column) { table.columns.push_back(std::move(column)); };
  const auto number = [&](const char* name, auto of) { return number_column(name, difference, heads, of); };
  add({.title = "head",
       .cell = [spec, heads](std::size_t row) -> TableCell { return head_name(*spec, (*heads)[row]); },
       .tip = head_column_tip});
  add({.name = "attention", .cell = [heads](std::size_t row) -> TableCell {
         return std::string(attention_name((*heads)[row].of));
       }});
  add({.name = "layer", .cell = [heads](std::size_t row) -> TableCell {
         return static_cast<std::int64_t>((*heads)[row].block);
       }});
  add({.name = "head", .cell = [heads](std::size_t row) -> TableCell { return (*heads)[row].head; }});
  add({.name = "held_layer", .cell = [heads, shift = difference.asked.shift](std::size_t row) -> TableCell {
         return static_cast<std::int64_t>((*heads)[row].block + shift);
       }});
  add(on_screen(number("total_variation", [](const HeadDifference& of) -> TableCell { return of.distance; }),
                "distance", distance_words, distance_tip));
  const TableColumn uniform =
      number("total_variation_uniform", [](const HeadDifference& of) -> TableCell { return of.uniform; });
  add(uniform);
  add(on_screen(number("largest_change", [](const HeadDifference& of) -> TableCell { return of.largest; }),
                "largest", change_words, largest_tip));
  // On the screen the baseline is the last column.
  TableColumn shown = on_screen(uniform, "uniform", distance_words, uniform_tip);
  shown.name.clear();
  add(std::move(shown));
  add(number("largest_query", [](const HeadDifference& of) -> TableCell { return of.query; }));
  add(number("largest_key", [](const HeadDifference& of) -> TableCell { return of.key; }));
  add(changes_column("changes_inside", a.model, a.run->changes));
  add(changes_column("held_changes_inside", b.model, b.run->changes));
  return table;
}

}  // namespace attnscope
