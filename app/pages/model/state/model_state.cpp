#include "app/pages/model/state/model_state.hpp"

namespace attnscope {

ATTNSCOPE_NAMES(ModelScreen, {"heads", "why", "atlas", "patching", "generation", "compare"});
ATTNSCOPE_NAMES(EffectMeasure, {"logit", "divergence", "probability"});
ATTNSCOPE_NAMES(HeadDistance, {"total-variation", "largest"});
/// The column that a list of heads is sorted by: the heads themselves, or one of their numbers.
enum class HeadSort : std::uint8_t {};
ATTNSCOPE_NAMES(HeadSort, {"place", "first", "second", "third"});
ATTNSCOPE_NAMES(HeadColour, {"pattern", "entropy", "previous", "induction", "first", "effect"});
ATTNSCOPE_NAMES(GridOrder, {"layers", "groups", "largest"});
ATTNSCOPE_NAMES(StreamView, {"lens", "norm", "inside"});
ATTNSCOPE_NAMES(CellValue, {"weight", "contribution"});

namespace {

// A session keeps a group as one object, even if its values are in two structs.
struct SplitFields {
  WhyState& state;
  ModelLook& look;
};
struct CompareFields {
  CompareHeadsState& state;
  ModelLook& look;
};

void visit_sorting(PageFields& visit, TableOrder& order) {
  auto column = static_cast<HeadSort>(order.sorted_by);
  visit("sort", column);
  order.sorted_by = static_cast<std::size_t>(column);
}

void fields(PageFields& visit, SplitFields& split) {
  visit("over_mean", split.state.over_mean);
  visit("query_parts", split.state.query_parts, 4, 10);
  visit("key_parts", split.state.key_parts, 4, 10);
  visit("token", split.look.split_token, 0, 1 << 30);
  visit("minus", split.look.split_minus, 0, 1 << 30);
  visit("path", split.state.path);
  visit("smallest_link", split.state.smallest_link, 0, 100);
}

void fields(PageFields& visit, CompareFields& compare) {
  visit("measure", compare.state.measure);
  visit_sorting(visit, compare.state.order);
  visit("shift", compare.look.held_shift, -1024, 1024);
}

}  // namespace

void fields(PageFields& visit, AtlasState& atlas) {
  visit("measure", atlas.measure);
  visit_sorting(visit, atlas.order);
}

void fields(PageFields& visit, PatchingState::Suggested& suggested) {
  visit("clean", suggested.clean);
  visit("corrupted", suggested.corrupted);
  visit("answer", suggested.answer);
  visit("other", suggested.other);
}

void fields(PageFields& visit, PatchingState& patching) {
  visit("corrupted", patching.corrupted);
  visit("answer", patching.answer);
  visit("other", patching.other);
  visit_sorting(visit, patching.order);
  visit("suggested", patching.suggested);
  visit("corrupted_beside", patching.corrupted_beside);
  visit("answers_beside", patching.answers_beside);
}

void fields(PageFields& visit, GenerationState& generation) {
  visit("sampled", generation.sampled);
  visit("temperature", generation.temperature, 0.05, 10);
  visit("top_k", generation.top_k, 0, 1 << 30);
  visit("top_p", generation.top_p, 0.01, 1);
  visit("seed", generation.seed, 0, 1 << 30);
  visit("count", generation.count, 1, 4096);
}

void fields(PageFields& visit, PictureState& picture) {
  visit("shown", picture.shown);
  visit("rollout", picture.rollout);
}

void fields(PageFields& visit, ModelState& model) {
  SplitFields split{model.split, model};
  CompareFields compare{model.compare, model};
  visit("screen", model.screen);
  visit("colour", model.colour);
  visit("order", model.order);
  visit("stream", model.stream);
  visit("value", model.value);
  visit("token_dims", model.token_dims);
  visit("split", split);
  visit("atlas", model.atlas);
  visit("patching", model.patching);
  visit("generation", model.generation);
  visit("compare", compare);
  visit("picture", model.picture);
  visit("sets", model.sets.kept);
  visit("fold", model.fold, -1, 1);
  visit("predicted_row", model.predicted_row, 0, 1 << 30);
  visit("followed", model.followed, 0, 1 << 30);
  visit("tokens_of", model.tokens_of);
}

}  // namespace attnscope
