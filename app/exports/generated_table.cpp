#include "app/exports/generated_table.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/kit/ui/number_format.hpp"
#include "app/results/changed_model.hpp"
#include "app/results/predicted_name.hpp"
#include "core/models/opened/opened_model.hpp"

namespace attnscope {
namespace {

struct LikeliestNames {
  std::string_view token, id, probability;
};
constexpr std::array<LikeliestNames, 5> likeliest_names{{{"token_1", "token_1_id", "probability_1"},
                                                         {"token_2", "token_2_id", "probability_2"},
                                                         {"token_3", "token_3_id", "probability_3"},
                                                         {"token_4", "token_4_id", "probability_4"},
                                                         {"token_5", "token_5_id", "probability_5"}}};

std::string in_percent(double probability) { return fixed(100 * probability, 1) + " %"; }
std::string with_two_places(double entropy) { return fixed(entropy, 2); }
std::string grouped_rank(double rank) { return grouped(static_cast<std::int64_t>(rank)); }

/// The id of the appended token, which is known before its prediction is.
std::optional<std::int64_t> appended_id(const ModelReading& reading, std::size_t row, bool with_text) {
  const std::vector<std::int64_t>& ids = reading.within.input.continued;
  const std::size_t before = with_text ? 1 : 0;
  if (row < before || ids.size() != reading.generation->tokens.size()) return std::nullopt;
  return ids[row - before];
}

/// The columns of one table.
class GeneratedColumns {
 public:
  GeneratedColumns(const ModelReading& reading, bool with_text) : reading_(reading), with_text_(with_text) {
    const GenerationReading& generation = *reading.generation;
    table_.rows = generation.tokens.size() + (with_text ? 1 : 0);
  }

  Table made() {
    add_token();
    add_numbers();
    add_likeliest();
    const ChangedModel changed{reading_.within.model, reading_.within.changes};
    add({.name = "numbers_of",
         .cell = [name = std::string(changed.name())](std::size_t) -> TableCell { return name; }});
    add(changes_column("changes_inside", reading_.within.model, reading_.within.changes));
    return std::move(table_);
  }

 private:
  void add(TableColumn column) { table_.columns.push_back(std::move(column)); }

  /// The number of a step whose prediction is known; in other rows the field is empty, on the screen too.
  template <class Number>
  auto of_known(Number number) const {
    return [&reading = reading_, with_text = with_text_, number](std::size_t row) -> TableCell {
      const GeneratedToken* const token = generated_by(reading, row, with_text);
      if (token == nullptr || token->rank <= 0) return std::string();
      return number(*token);
    };
  }

  void add_token() {
    const ModelReading& reading = reading_;
    const bool with_text = with_text_;
    add({.name = "step", .title = "step", .cell = [with_text](std::size_t row) -> TableCell {
           if (with_text && row == 0) return {};
           return static_cast<std::int64_t>(row) + (with_text ? 0 : 1);
         }});
    add({.title = "token", .cell = [&reading, with_text](std::size_t row) -> TableCell {
           const GeneratedToken* const token = generated_by(reading, row, with_text);
           if (token == nullptr) return "the text, " + counted(reading.generation->first, "token", "tokens");
           return token->rank > 0 ? predicted_name(reading, token->id) : std::string("…");
         }});
    add({.name = "token", .cell = [&reading, with_text](std::size_t row) -> TableCell {
           const std::optional<std::int64_t> id = appended_id(reading, row, with_text);
           if (!id) return {};
           return prediction_label(*reading.within.model, *id);
         }});
    add({.name = "token_id", .cell = [&reading, with_text](std::size_t row) -> TableCell {
           const std::optional<std::int64_t> id = appended_id(reading, row, with_text);
           if (!id) return {};
           return *id;
         }});
  }

  void add_numbers() {
    add({.name = "probability",
         .title = "probability",
         .cell = of_known([](const GeneratedToken& token) -> TableCell { return token.probability(); }),
         .written = in_percent});
    add({.name = "rank",
         .title = "rank",
         .cell = of_known([](const GeneratedToken& token) -> TableCell { return token.rank; }),
         .written = grouped_rank});
    add({.name = "entropy",
         .title = "entropy",
         .cell = of_known([](const GeneratedToken& token) -> TableCell { return token.entropy; }),
         .written = with_two_places});
  }

  void add_likeliest() {
    const OpenedModel* const opened = reading_.within.model.get();
    add({.title = "likeliest there", .cell = of_known([opened](const GeneratedToken& token) -> TableCell {
                                       std::vector<std::string> all;
                                       for (const PredictedToken& other : token.top)
                                         all.push_back(predicted_name(*opened, other.id) + " " +
                                                       fixed(100 * other.probability(), 0));
                                       return fmt::format("{}", fmt::join(all, " · "));
                                     })});
    for (std::size_t k = 0; k < likeliest_names.size(); ++k) {
      const auto add_of = [&](std::string_view name, auto of) {
        add({.name = std::string(name), .cell = of_known([k, of](const GeneratedToken& token) -> TableCell {
                                          if (k >= token.top.size()) return {};
                                          return of(token.top[k]);
                                        })});
      };
      add_of(likeliest_names[k].token, [opened](const PredictedToken& other) -> TableCell {
        return prediction_label(*opened, other.id);
      });
      add_of(likeliest_names[k].id, [](const PredictedToken& other) -> TableCell { return other.id; });
      add_of(likeliest_names[k].probability,
             [](const PredictedToken& other) -> TableCell { return other.probability(); });
    }
  }

  const ModelReading& reading_;
  bool with_text_;
  Table table_ = {};
};

}  // namespace

const GeneratedToken* generated_by(const ModelReading& reading, std::size_t row, bool with_text) {
  if (with_text && row == 0) return nullptr;
  return &reading.generation->tokens[row - (with_text ? 1 : 0)];
}

Table generated_table(const ModelReading& reading, bool with_text) {
  return GeneratedColumns(reading, with_text).made();
}

}  // namespace attnscope
