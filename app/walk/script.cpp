#include "app/walk/script.hpp"

#include <algorithm>

#include "app/walk/walk_state.hpp"
#include "core/attention/run_stage.hpp"
#include "core/document/known.hpp"

namespace attnscope::walk {
namespace {

constexpr int most_row_moves = 6;     // scores query by query, the mix key by key: six moves at most
constexpr float move_seconds = 0.2f;  // a move fades in
constexpr float rest_seconds = 0.7f;  // and is looked at, while playing

int row_moves(std::int64_t rows) {
  return static_cast<int>(std::clamp<std::int64_t>(rows, 1, most_row_moves));
}
/// The marked row first, then all the others.
int one_then_all(std::int64_t rows) { return rows > 1 ? 2 : 1; }

/// Whether the stage has a tensor of its own, not that of one before.
bool changes_something(const Trace& trace, Stage stage) {
  if (!trace[stage]) return false;
  return std::ranges::none_of(stage_table, [&](const StageInfo& row) {
    return info(stage).inputs.has(row.stage) && trace[row.stage] == trace[stage];
  });
}

}  // namespace

std::vector<SoftmaxMove> softmax_moves(const Document& document) {
  const LayerSpec& layer = document.layer();
  std::vector<SoftmaxMove> moves;
  if (layer.softmax == SoftmaxKind::Stable || layer.temperature != 1) moves.push_back(SoftmaxMove::Shift);
  moves.insert(moves.end(), {SoftmaxMove::Exponential, SoftmaxMove::Sum, SoftmaxMove::Divide});
  if (layer.masking.mistake == MaskMistake::AfterSoftmax) moves.push_back(SoftmaxMove::Hide);
  return moves;
}

Script::Script(const LayerResult& result) {
  add_vectors(result);
  add_planes(result);
  if (!knows_values(result.document)) return;
  add(Stage::Mix, row_moves(result.dimensions.keys));
  if (!result.trace[Stage::Output]) return;
  const bool one_head = result.dimensions.heads == 1;
  if (!one_head) add(Stage::Concat, 1);
  add(Stage::Output, one_head && !result.document.layer().weights[Parameter::BOutput] ? 1 : 2);
  for (const StageInfo& row : stage_table)
    if (is_after_attention(row.stage) && changes_something(result.trace, row.stage))
      add(row.stage, one_then_all(result.dimensions.queries));
}

void Script::add(Stage stage, int moves) {
  steps_.push_back({stage, moves});
  first_.push_back(first_.back() + moves);
}

void Script::add_vectors(const LayerResult& result) {
  const Trace& trace = result.trace;
  const Dimensions& d = result.dimensions;
  const bool given = result.document.input.is_given();
  const auto moves = [&](std::int64_t rows) { return given ? 1 : one_then_all(rows); };
  if (trace[Stage::Position]) add(Stage::Position, trace[Stage::Position] == trace[Stage::Embed] ? 1 : 2);
  if (changes_something(trace, Stage::AttentionNorm))
    add(Stage::AttentionNorm, one_then_all(trace[Stage::AttentionNorm]->shape()[1]));
  if (trace[Stage::QueryLatent]) add(Stage::QueryLatent, one_then_all(trace[Stage::QueryLatent]->shape()[1]));
  add(Stage::Query, moves(d.queries));
  const bool turns = !result.document.layer().linear;
  if (trace[Stage::NormQuery] != trace[Stage::Query]) add(Stage::NormQuery, one_then_all(d.queries));
  if (turns && trace[Stage::RotateQuery] != trace[Stage::NormQuery])
    add(Stage::RotateQuery, one_then_all(d.queries));
  if (trace[Stage::Memory]) add(Stage::Memory, 1);
  if (trace[Stage::Latent]) add(Stage::Latent, one_then_all(trace[Stage::Latent]->shape()[1]));
  add(Stage::Key, moves(d.keys));
  if (trace[Stage::NormKey] != trace[Stage::Key]) add(Stage::NormKey, one_then_all(d.keys));
  if (turns && trace[Stage::RotateKey] != trace[Stage::NormKey]) add(Stage::RotateKey, one_then_all(d.keys));
  if (knows_values(result.document)) add(Stage::Value, moves(d.keys));
}

void Script::add_planes(const LayerResult& result) {
  const Document& document = result.document;
  const int both = one_then_all(result.dimensions.queries);
  if (document.layer().linear) {  // neither the scores nor the scale take part
    add(Stage::Linear, linear_moves);
  } else {
    add(Stage::Score, row_moves(result.dimensions.queries));
    add(Stage::Scale, both);
    if (document.layer().soft_cap > 0) add(Stage::Cap, both);
    if (result.trace[Stage::Bias]) add(Stage::Bias, both);
    add(Stage::Mask, both);
    add(Stage::Softmax, static_cast<int>(softmax_moves(document).size()));
  }
  if (has_intervention(document)) add(Stage::Intervention, both);
  if (document.layer().dropout.rate > 0) add(Stage::Drop, both);
}

int Script::moves_of(Stage stage) const {
  const auto at = std::find_if(steps_.begin(), steps_.end(), [&](const Step& s) { return s.stage == stage; });
  return at == steps_.end() ? 0 : at->moves;
}

int Script::first(Stage stage) const {
  std::size_t i = 0;
  while (i + 1 < steps_.size() && steps_[i].stage != stage) ++i;
  return first_[i];
}

int Script::made(Stage stage, int place) const {
  return has(stage) ? std::clamp(place - first(stage), 0, moves_of(stage)) : 0;
}

int Script::place(const WalkState& state) const {
  if (!state.stage) return 0;
  if (has(*state.stage)) return first(*state.stage) + std::clamp(state.move, 1, moves_of(*state.stage));
  const Stages before = stages_before(*state.stage);
  int end = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (before.has(steps_[i].stage)) end = std::max(end, first_[i + 1]);
  return end;
}

void Script::go(WalkState& state, int place) const {
  place = std::clamp(place, 0, moves());
  state.shown = 1;
  state.pause = 0;
  state.stage.reset();
  state.move = 0;
  for (std::size_t i = 0; i < steps_.size() && place > first_[i]; ++i) {
    state.stage = steps_[i].stage;
    state.move = std::min(place - first_[i], steps_[i].moves);
  }
}

namespace {

/// Makes the next move, faded in unless the speed is instant.
void make_move(WalkState& state, const Script& script) {
  const int place = script.place(state);
  if (place >= script.moves()) return;
  script.go(state, place + 1);
  if (state.speed > 0) state.shown = 0;
}

/// The end of the stage after `place` (step > 0), or of the stage before (step < 0).
int end_of_stage(const Script& script, int place, int step) {
  int before = 0;
  for (const Step& s : script.steps()) {
    const int end = script.first(s.stage) + s.moves;
    if (step > 0 && end > place) return end;
    if (step < 0 && end >= place) return before;
    before = end;
  }
  return step > 0 ? script.moves() : before;
}

void jump(Scene& scene, int place) {
  WalkState& state = walk_of(scene.view);
  state.playing = false;
  Script(scene.result).go(state, place);
}

}  // namespace

void step_forward(Scene& scene) {
  walk_of(scene.view).playing = false;
  make_move(walk_of(scene.view), Script(scene.result));
}

void step_back(Scene& scene) { jump(scene, Script(scene.result).place(walk_of(scene.view)) - 1); }

void next_stage(Scene& scene) {
  const Script script(scene.result);
  jump(scene, end_of_stage(script, script.place(walk_of(scene.view)), 1));
}

void previous_stage(Scene& scene) {
  const Script script(scene.result);
  jump(scene, end_of_stage(script, script.place(walk_of(scene.view)), -1));
}

void go_to_start(Scene& scene) { jump(scene, 0); }

void go_to_end(Scene& scene) { jump(scene, Script(scene.result).moves()); }

void play_or_pause(Scene& scene) {
  WalkState& state = walk_of(scene.view);
  const Script script(scene.result);
  const bool stop = state.playing;
  if (!stop && script.place(state) == script.moves()) script.go(state, 0);
  state.playing = !stop;
  state.pause = 0;
}

void advance(Scene& scene, float seconds) {
  WalkState& state = walk_of(scene.view);
  const Script script(scene.result);
  if (state.speed <= 0) {
    state.shown = 1;
    if (state.playing) script.go(state, script.moves());
    state.playing = false;
    return;
  }
  if (state.shown < 1) {
    state.shown = std::min(1.f, state.shown + seconds * std::max(1.f, state.speed) / move_seconds);
    return;
  }
  if (!state.playing) return;
  if (script.place(state) == script.moves()) {
    state.playing = false;
    return;
  }
  state.pause -= seconds * state.speed;
  if (state.pause > 0) return;
  make_move(state, script);
  state.pause = rest_seconds;
}

}  // namespace attnscope::walk
