#include "app/lessons/until.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "app/state/stage_names.hpp"

namespace attnscope::lessons {

std::optional<Stage> stage_until(std::string_view name) {
  if (name == "weights") return Stage::Drop;
  const auto found = std::ranges::find(Names<Stage>::list, name);
  if (found == Names<Stage>::list.end()) return std::nullopt;
  return static_cast<Stage>(found - Names<Stage>::list.begin());
}

std::optional<Stage> stage_of_number(std::string_view asked) {
  constexpr std::string_view held = "held.";
  if (asked.starts_with(held)) asked.remove_prefix(held.size());
  const NameParts parts = name_parts(asked);
  constexpr std::array<std::string_view, 10> settings{
      "tokens", "keys", "heads", "d_k", "d_model", "kv_heads", "temperature", "softcap", "divided", "causal"};
  if (std::ranges::find(settings, parts.name) != settings.end()) return std::nullopt;
  struct Read {
    std::string_view name;
    Stage stage;
  };
  constexpr std::array<Read, 15> reads{{{"score", Stage::Score},
                                        {"spread_of_scores", Stage::Score},
                                        {"scaled", Stage::Scale},
                                        {"spread_of_scaled", Stage::Scale},
                                        {"spread", Stage::Scale},
                                        {"masked", Stage::Mask},
                                        {"allowed", Stage::Mask},
                                        {"q", Stage::Query},
                                        {"k", Stage::Key},
                                        {"v", Stage::Value},
                                        {"x", Stage::Position},
                                        {"mixed", Stage::Mix},
                                        {"mixed_length", Stage::Mix},
                                        {"mixed_moved", Stage::Mix},
                                        {"output", Stage::Output}}};
  const auto read = std::ranges::find(reads, parts.name, &Read::name);
  if (read != reads.end()) return read->stage;
  if (parts.name == "output_moved") return Stage::Output;
  if (parts.name.starts_with("gradient_")) return Stage::BlockOutput;
  std::optional<Stage> last;
  for (const std::string_view word : parts.words)
    if (const auto stage = stage_until(word); stage && (!last || index_of(*stage) > index_of(*last)))
      last = stage;
  return last ? last : Stage::Softmax;  // other numbers are read off the weights
}

bool shows_stage(const Step& step, Stage stage) {
  if (!step.until) return true;
  const std::optional<Stage> last = stage_until(*step.until);
  return !last || index_of(stage) <= index_of(*last);
}

bool walks_stage(const Step& step, Stage stage) {
  if (!shows_stage(step, stage)) return false;
  if (!step.from) return true;
  const std::optional<Stage> first = *step.from == "weights" ? Stage::Softmax : stage_until(*step.from);
  return !first || index_of(stage) >= index_of(*first);
}

bool shows_number(const Step& step, const Expression& expression) {
  if (!step.until) return true;
  return std::ranges::all_of(expression.names(), [&](const Expression::Name& name) {
    const std::optional<Stage> stage = stage_of_number(name.name);
    return !stage || shows_stage(step, *stage);
  });
}

std::optional<Stage> plane_until(const Step& step, const LayerResult& result, Stage stage) {
  if (shows_stage(step, stage)) return stage;
  std::optional<Stage> last;
  for (const StageInfo& row : stage_table) {
    if (index_of(row.stage) >= index_of(stage) || !shows_stage(step, row.stage)) break;
    if (holds_scores_or_weights(row.stage) && result.trace[row.stage]) last = row.stage;
  }
  return last;
}

}  // namespace attnscope::lessons
