// A block of a model as a Document: computed stage by stage it gives the numbers of the run of the whole
// model, for every family, every block, with changes and without; and what a person edits in it comes back as
// a change of the model.
#include "core/models/opened/layer_document.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/edits/block.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/heads.hpp"
#include "core/edits/mask.hpp"
#include "core/edits/numbers.hpp"
#include "core/edits/switches.hpp"
#include "core/engine/pipeline.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/models/run_heads.hpp"
#include "core/samples.hpp"
#include "core/small_models.hpp"
#include "core/transformers_goldens.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::layer_document_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using transformers_goldens::Golden;
using transformers_goldens::input_of;
using ChangeKind = HeadChange::Kind;
using LayerKind = Intervention::Kind;

const fs::path tiny_models = fs::path(ATTNSCOPE_SHARED) / "vectors/tiny_models";
const fs::path goldens = fs::path(ATTNSCOPE_TESTS) / "goldens/models";

struct Machine {
  ThreadPool pool{2};
  Work work{pool, {}};
  Pipeline pipeline{make_cpu_backend(2)};
};

std::vector<AttentionOf> attentions_of(const ModelSpec& spec) {
  std::vector<AttentionOf> all;
  if (spec.encoder) all.push_back(AttentionOf::Encoder);
  if (spec.decoder) all.push_back(AttentionOf::Decoder);
  if (spec.decoder && spec.decoder->cross) all.push_back(AttentionOf::Cross);
  return all;
}

const StackSpec& stack_spec(const ModelSpec& spec, AttentionOf of) {
  return of == AttentionOf::Encoder ? *spec.encoder : *spec.decoder;
}

/// The worst difference as a share of the largest expected number.
class Difference {
 public:
  void add(double found, double expected) {
    worst_ = std::max(worst_, std::abs(found - expected));
    if (std::isnan(found)) worst_ = INFINITY;
    largest_ = std::max(largest_, std::abs(expected));
  }
  double absolute() const { return worst_; }
  double relative() const { return worst_ / std::max(largest_, 1e-30); }

 private:
  double worst_ = 0, largest_ = 0;
};

void compare_rows(const Tensor& found, const float* expected, std::string_view what) {
  Difference difference;
  for (std::int64_t i = 0; i < found.size(); ++i)
    difference.add(static_cast<double>(found.data()[i]), static_cast<double>(expected[i]));
  CAPTURE(what);
  CHECK(difference.relative() < 1e-4);
}

/// One attention of one block of a run.
struct Place {
  const Model& model;
  const ModelRun& run;
  AttentionOf of;
  std::size_t block;
};

void compare_heads(const Tensor& found, const HeadRows& expected, std::string_view what) {
  const Shape& shape = found.shape();
  Difference difference;
  for (std::int64_t h = 0; h < shape[1]; ++h)
    for (std::int64_t i = 0; i < shape[2]; ++i)
      for (std::int64_t k = 0; k < shape[3]; ++k)
        difference.add(static_cast<double>(found.matrix(0, h)(i, k)),
                       static_cast<double>(expected.row(h, i)[k]));
  CAPTURE(what);
  CHECK(difference.relative() < 1e-4);
}

/// What the layer computed against what the run had.
void compare(const Place& at, const Document& document, Machine& machine) {
  CAPTURE(static_cast<int>(at.of), at.block);
  const ResultPtr result = machine.pipeline.run(document);
  const Trace& trace = result->layer().trace;
  const BlockProblem made = problem_of(at.model, at.run, at.of, at.block);
  compare_heads(*trace[Stage::RotateQuery], made.problem.query, "queries");
  compare_heads(*trace[Stage::RotateKey], made.problem.key, "keys");
  compare_heads(*trace[Stage::Value], made.problem.value, "values");
  Difference weights;
  for (std::int64_t h = 0; h < made.problem.heads; ++h) {
    const bool changed = pattern_change(at.run.changes, at.of, at.block, h) != nullptr;
    const auto found = trace[changed ? Stage::Intervention : Stage::Softmax]->matrix(0, h);
    const Tensor expected = head_weights(at.model, at.run, at.of, at.block, h, machine.work);
    REQUIRE((expected.shape() == Shape{found.rows(), found.cols()}));
    weights.add(static_cast<double>((found - std::as_const(expected).matrix()).cwiseAbs().maxCoeff()), 0);
  }
  CHECK(weights.absolute() < (at.model.spec.family == "T5" ? 1e-5 : 5e-6));
  const Tensor outputs = head_outputs(at.model, at.run, at.of, at.block, {}, machine.work);
  compare_rows(*trace[Stage::Mix], outputs.data(), "outputs");
  const StackRun& stack = stack_of(at.model, at.run, at.of).run;
  const bool ends_between = at.of == AttentionOf::Decoder && at.model.spec.decoder->cross;
  if (!ends_between)
    return compare_rows(*trace[Stage::BlockOutput], stack.hidden[at.block + 1].row(0), "stream");
  const BlockTensors cross = block_tensors(at.model, AttentionOf::Cross, static_cast<int>(at.block));
  const Document next = layer_document(at.model, at.run, cross, {}, {});
  compare_rows(*trace[Stage::BlockOutput], next.input.vectors().query->data(), "stream between");
}

/// Every attention of every block.
void compare_all(const Model& model, const ModelRun& run, Machine& machine) {
  for (const AttentionOf of : attentions_of(model.spec))
    for (std::size_t block = 0; block < stack_spec(model.spec, of).blocks.size(); ++block) {
      const BlockTensors tensors = block_tensors(model, of, static_cast<int>(block));
      CHECK(left_out(tensors, run.changes).empty());
      compare({model, run, of, block}, layer_document(model, run, tensors, {}, {}), machine);
    }
}

/// Changes of every kind that a layer has, spread over the heads and blocks of all attentions.
std::vector<ModelChanges> some_changes(const ModelSpec& spec, bool hides) {
  std::vector<ModelChanges> all(8);
  for (const AttentionOf of : attentions_of(spec)) {
    const StackSpec& stack = stack_spec(spec, of);
    const auto blocks = static_cast<int>(stack.blocks.size());
    const int heads = stack.blocks[0].heads;
    for (int block = 0; block < blocks; ++block) {
      all[0].blocks.push_back({.of = of, .block = block, .scale = spec.family == "T5" ? 0.3 : 1.0});
      all[1].blocks.push_back({.of = of, .block = block, .temperature = 1.7});
      all[2].blocks.push_back({.of = of, .block = block, .mask_off = true});
      for (int head = 0; head < heads; ++head) {
        const bool mean = head % 2 == 1 && !hides;
        all[3].heads.push_back(
            {.of = of, .block = block, .head = head, .kind = mean ? ChangeKind::Mean : ChangeKind::Zero});
        constexpr ChangeKind patterns[]{ChangeKind::Uniform, ChangeKind::PreviousToken, ChangeKind::Identity,
                                        ChangeKind::FirstToken};
        all[4].heads.push_back({.of = of, .block = block, .head = head, .kind = patterns[head % 4]});
      }
      all[5].blocks.push_back({.of = of, .block = block, .attention_off = true});
      if (of != AttentionOf::Cross) all[6].blocks.push_back({.of = of, .block = block, .mlp_off = true});
    }
    all[7].blocks.push_back(
        {.of = of, .block = blocks - 1, .mask_off = true, .scale = 0.2, .temperature = 0.6});
    all[7].heads.push_back({.of = of, .block = blocks - 1, .head = heads - 1});
  }
  return all;
}

bool counts_from_zero(const ModelInput& input) {
  for (std::size_t i = 0; i < input.positions.size(); ++i)
    if (!std::cmp_equal(input.positions[i], i)) return false;
  return true;
}

bool turns(const ModelSpec& spec) {
  return spec.decoder && spec.decoder->positions == ModelPositions::Rotary;
}

/// All inputs of a model's golden file; returns how many runs were compared.
int compare_model(const fs::path& folder, Machine& machine) {
  const ModelPtr model = open_model(folder);
  const SafetensorsFile file(folder / "goldens.safetensors");
  int compared = 0;
  for (const std::string part : {"single.", "batch.", "left.", "pair."}) {
    const Golden golden(file, part);
    if (!golden.has("input_ids") && !golden.has("pixel_values")) continue;
    CAPTURE(part);
    const ModelInput input = input_of(golden, 0);
    const ModelRun run = run_model(*model, input, {.logits = LogitRows::None}, machine.work);
    if (turns(model->spec) && !counts_from_zero(input)) {
      CHECK_THROWS_WITH(layer_document(*model, run, block_tensors(*model, AttentionOf::Decoder, 0), {}, {}),
                        ContainsSubstring("a layer by itself counts positions from 0"));
      continue;
    }
    compare_all(*model, run, machine);
    ++compared;
    if (part != std::string("single.") && compared > 1) continue;
    const bool hides = std::ranges::find(input.mask, 0) != input.mask.end();
    for (const ModelChanges& changes : some_changes(model->spec, hides)) {
      CAPTURE(changes.blocks.size(), changes.heads.size());
      compare_all(*model,
                  run_model(*model, input, {.logits = LogitRows::None, .changes = changes}, machine.work),
                  machine);
    }
  }
  return compared;
}

}  // namespace

TEST_CASE("every block of every committed model computes to the run's numbers", "[models][layer_document]") {
  Machine machine;
  int compared = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(goldens)) {
    if (!exists(folder.path() / "goldens.safetensors")) continue;
    const std::string name = folder.path().filename();
    CAPTURE(name);
    if (name == "bloom_after_norm") {
      CHECK_THROWS_WITH(block_tensors(*open_model(folder.path()), AttentionOf::Decoder, 0),
                        ContainsSubstring("This model of BLOOM adds to the stream behind the norm"));
      continue;
    }
    compared += compare_model(folder.path(), machine);
  }
  CHECK(compared >= 20);
}

TEST_CASE("every block of every tiny model computes to the run's numbers", "[models][layer_document]") {
  if (!exists(tiny_models)) SKIP("no folder shared/vectors/tiny_models");
  Machine machine;
  int compared = 0;
  for (const fs::directory_entry& folder : fs::directory_iterator(tiny_models)) {
    if (!exists(folder.path() / "goldens.safetensors")) continue;
    CAPTURE(folder.path().filename());
    compared += compare_model(folder.path(), machine);
  }
  CHECK(compared >= 14);
}

namespace {

/// A model, a run and one of its blocks, of each arrangement.
struct Opened {
  test::TemporaryDirectory directory;
  ModelPtr model;
  ModelInput input;

  explicit Opened(const std::string& family) {
    if (family == "gpt2")
      small_models::write_gpt(directory / family, small_models::gpt_weights());
    else if (family != "bert" && family != "t5")
      small_models::write_other(directory / family, family);
    if (family == "bert" || family == "t5") {
      const fs::path folder = goldens / (family == "bert" ? "bert_masked" : "t5_gated");
      model = open_model(folder);
      const SafetensorsFile file(folder / "goldens.safetensors");
      input = input_of(Golden(file, "batch."), 0);
      input.mask.clear();
      return;
    }
    model = open_model(directory / family);
    input.ids = small_models::some_ids(9, small_models::other_tokens);
  }
};

const std::vector<std::string> arrangements{"gpt2",  "llama",    "qwen3", "gemma2",
                                            "bloom", "gpt_neox", "bert",  "t5"};

/// One edit that a model's changes can say.
Document edited(Document document, bool with_mlp, samples::Random& random) {
  const int heads = document.layer().heads;
  const std::int64_t head = random.between(0, heads - 1);
  switch (random.between(0, with_mlp ? 7 : 6)) {
    case 0: return edit::divided(std::move(document), random.coin());
    case 1: document.layer().scaling = {Scaling::Kind::Factor, 0.25f}; return document;
    case 2: document.layer().temperature = random.coin() ? 1.0f : 0.7f; return document;
    case 3: {
      if (document.layer().masking.window.open())
        return edit::with_mask_choice(
            std::move(document),
            static_cast<int>(random.between(0, 1)) * static_cast<int>(document.layer().masking.causal));
      return document;
    }
    case 4: return edit::mute(std::move(document), head);
    case 5: return edit::solo(std::move(document), head);
    case 6: {
      constexpr LayerKind kinds[]{LayerKind::None,     LayerKind::Mute,       LayerKind::Uniform,
                                  LayerKind::Identity, LayerKind::FirstToken, LayerKind::PreviousToken,
                                  LayerKind::Mean};
      return edit::intervention(std::move(document), head, kinds[random.between(0, 6)]);
    }
    default: {
      BlockSettings block = document.layer().block;
      block.mlp = !block.mlp;
      return edit::block(std::move(document), block);
    }
  }
}

/// Whether two layers compute the same.
void check_same_layer(const LayerSpec& found, const LayerSpec& expected) {
  const std::int64_t d_k = head_width(expected);
  CHECK(scale_factor(found.scaling, d_k) == scale_factor(expected.scaling, d_k));
  CHECK(found.temperature == expected.temperature);
  CHECK(found.masking.causal == expected.masking.causal);
  CHECK(found.masking.window == expected.masking.window);
  CHECK(found.interventions == expected.interventions);
  CHECK(found.block == expected.block);
}

}  // namespace

TEST_CASE("what a person edits in a block is a change of the model that does the same",
          "[models][layer_document]") {
  Machine machine;
  for (const std::string& family : arrangements) {
    const Opened o(family);
    samples::Random random(std::hash<std::string>{}(family) % 1000 + 11);
    for (int round = 0; round < 12; ++round) {
      const std::vector<AttentionOf> attentions = attentions_of(o.model->spec);
      const AttentionOf of = attentions[static_cast<std::size_t>(
          random.between(0, static_cast<std::int64_t>(attentions.size()) - 1))];
      const auto blocks = std::ssize(stack_spec(o.model->spec, of).blocks);
      const int block = static_cast<int>(random.between(0, blocks - 1));
      CAPTURE(family, round, static_cast<int>(of), block);
      const BlockTensors tensors = block_tensors(*o.model, of, block);
      ModelChanges changes;
      if (blocks > 1) {  // of another block, which stay what and where they are
        changes.blocks.push_back({.of = of, .block = block == 0 ? 1 : 0, .temperature = 0.9});
        changes.heads.push_back({.of = of, .block = block == 0 ? 1 : 0, .head = 0});
      }
      ModelRun run = run_model(*o.model, o.input, {.changes = changes}, machine.work);
      Document document = layer_document(*o.model, run, tensors, {}, {});
      const bool with_mlp = tensors.layer.block.mlp && tensors.layer.block.kind != BlockKind::PostNorm;
      for (int step = 0; step < 5; ++step) {
        document = edited(std::move(document), with_mlp, random);
        const auto like = changes_like(tensors, changes, document.layer());
        REQUIRE(like);
        LayerSpec again = tensors.layer;
        impose(tensors, *like, again);
        check_same_layer(again, document.layer());
        CHECK(changes_like(tensors, *like, document.layer()) == *like);
        CHECK(changes_like(tensors, *like, again) == *like);
        CHECK((blocks == 1 || like->blocks.front() == changes.blocks.front()));
        CHECK((blocks == 1 || like->heads.front() == changes.heads.front()));
        changes = *like;
      }
      run = run_model(*o.model, o.input, {.changes = changes}, machine.work);
      compare({*o.model, run, of, static_cast<std::size_t>(block)}, document, machine);
    }
  }
}

TEST_CASE("an edit that is taken back leaves no change", "[models][layer_document]") {
  Machine machine;
  const Opened o("gpt2");
  const ModelRun run = run_model(*o.model, o.input, {}, machine.work);
  const BlockTensors tensors = block_tensors(*o.model, AttentionOf::Decoder, 1);
  const Document own = layer_document(*o.model, run, tensors, {}, {});
  const auto like = [&](const Document& document, const ModelChanges& before = {}) {
    const auto changes = changes_like(tensors, before, document.layer());
    REQUIRE(changes);
    return *changes;
  };
  CHECK(like(own).empty());
  const Document off = edit::divided(own, false);
  const ModelChanges scale_off{.blocks = {{.block = 1, .scale = 1}}};
  CHECK(like(off) == scale_off);
  CHECK(like(edit::divided(off, true), scale_off).empty());
  const ModelChanges muted{.heads = {{.block = 1, .head = 2}}};
  CHECK(like(edit::mute(own, 2)) == muted);
  CHECK(like(own, muted).empty());
  const ModelChanges unmasked{.blocks = {{.block = 1, .mask_off = true}}};
  CHECK(like(edit::with_mask_choice(own, 0)) == unmasked);
  CHECK(like(edit::with_mask_choice(own, 2)) == unmasked);  // padding hides nothing of vectors
  CHECK(like(edit::with_mask_choice(own, 3)).empty());
  // Numbers that a file says in double are not rounded to the layer's floats.
  const ModelChanges third{.blocks = {{.block = 1, .scale = 1.0 / 3, .temperature = 1.0 / 7}}};
  LayerSpec layer = tensors.layer;
  impose(tensors, third, layer);
  CHECK(changes_like(tensors, third, layer) == third);
}

TEST_CASE("edits that a model's changes cannot say make it another layer", "[models][layer_document]") {
  Machine machine;
  const Opened o("gemma2"), post("bert");
  const ModelRun run = run_model(*o.model, o.input, {}, machine.work);
  const BlockTensors tensors = block_tensors(*o.model, AttentionOf::Decoder, 0);
  const Document own = layer_document(*o.model, run, tensors, {}, {});
  using Edit = std::function<Document(Document)>;
  const auto layer_edit = [](auto change) {
    return Edit([change](Document document) {
      change(document.layer());
      return document;
    });
  };
  const std::vector<Edit> edits{
      [](Document d) {
        return edit::number(std::move(d), {Editable::QueryWeights, 1, 2}, 5);
      },
      [](Document d) { return edit::zero(std::move(d), Editable::OutputWeights); },
      [](Document d) { return edit::qk_norm(std::move(d), QkNorm::Kind::Layer); },
      [](Document d) { return edit::kv_heads(std::move(d), 4); },
      [](Document d) { return edit::sinks(std::move(d), true); },
      [](Document d) { return edit::hidden_cell(std::move(d), 0, 0, 3, 1, true); },
      [](Document d) { return edit::with_mask_choice(std::move(d), 0); },  // the window stays
      layer_edit([](LayerSpec& l) { l.soft_cap = 3; }),
      layer_edit([](LayerSpec& l) { l.positions = Positions::None; }),
      layer_edit([](LayerSpec& l) { l.position_settings.rope_base = 77; }),
      layer_edit([](LayerSpec& l) { l.softmax = SoftmaxKind::Naive; }),
      layer_edit([](LayerSpec& l) { l.linear = true; }),
      layer_edit([](LayerSpec& l) { l.dropout.rate = 0.5f; }),
      layer_edit([](LayerSpec& l) { l.masking.mistake = MaskMistake::Transposed; }),
      layer_edit([](LayerSpec& l) { l.masking.window.left = 1; }),
      layer_edit([](LayerSpec& l) { l.block.kind = BlockKind::PostNorm; }),
      layer_edit([](LayerSpec& l) { l.block.attention_residual = false; }),
      layer_edit([](LayerSpec& l) { l.block.activation = Activation::Relu; }),
  };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    CAPTURE(i);
    CHECK_FALSE(changes_like(tensors, {}, edits[i](own).layer()));
  }
  // Behind the MLP of a post-norm block stands a norm: without the MLP it would be gone too.
  const BlockTensors bert = block_tensors(*post.model, AttentionOf::Encoder, 0);
  LayerSpec layer = bert.layer;
  layer.block.mlp = false;
  CHECK_FALSE(changes_like(bert, {}, layer));
}

TEST_CASE("frozen patterns of a longer text are cut, and keep being the same change",
          "[models][layer_document]") {
  Machine machine;
  const Opened o("llama");
  const BlockTensors tensors = block_tensors(*o.model, AttentionOf::Decoder, 1);
  auto pattern = std::make_shared<Tensor>(Shape{20, 24});
  for (std::int64_t i = 0; i < 20; ++i) pattern->matrix()(i, i / 2) = 1;
  const ModelChanges frozen{
      .heads = {{.block = 1, .head = 1, .kind = ChangeKind::Frozen, .tensor = pattern}}};
  const ModelRun run = run_model(*o.model, o.input, {.changes = frozen}, machine.work);
  Document document = layer_document(*o.model, run, tensors, {}, {});
  compare({*o.model, run, AttentionOf::Decoder, 1}, document, machine);
  CHECK(changes_like(tensors, frozen, document.layer()) == frozen);
  auto other = std::make_shared<Tensor>(Shape{1, 9, 9});
  other->matrix().setConstant(1.0f / 9);
  document = edit::freeze(std::move(document), 1, other);
  const auto like = changes_like(tensors, frozen, document.layer());
  REQUIRE(like);
  REQUIRE(like->heads.size() == 1);
  CHECK(*like->heads[0].tensor == Tensor(*other).reshaped(Shape{9, 9}));
}

TEST_CASE("what a layer cannot say of a head is told and kept", "[models][layer_document]") {
  Machine machine;
  const Opened o("llama");
  const BlockTensors tensors = block_tensors(*o.model, AttentionOf::Decoder, 1);
  const auto patch = std::make_shared<Tensor>(Shape{9, 4});
  const ModelChanges changes{
      .heads = {{.block = 1, .head = 0, .kind = ChangeKind::Replaced, .tensor = patch},
                {.block = 1, .head = 3, .kind = ChangeKind::Zero, .rows = {2}},
                {.block = 0, .head = 1, .kind = ChangeKind::Replaced, .tensor = patch}}};
  CHECK(left_out(tensors, changes) ==
        "The output of heads 1.0, 1.3 is changed in the model in a way that this layer by itself does not "
        "show.");
  const ModelRun run = run_model(*o.model, o.input, {.changes = changes}, machine.work);
  Document document = layer_document(*o.model, run, tensors, {}, {});
  CHECK(document.layer().interventions.empty());
  CHECK(changes_like(tensors, changes, document.layer()) == changes);
  const auto like = changes_like(tensors, changes, edit::divided(document, false).layer());
  REQUIRE(like);
  CHECK(like->heads == changes.heads);
  // A pattern put in after it takes the place of the output.
  const auto uniform =
      changes_like(tensors, changes, edit::intervention(document, 0, LayerKind::Uniform).layer());
  REQUIRE(uniform);
  CHECK(left_out(tensors, *uniform) ==
        "The output of head 1.3 is changed in the model in a way that this layer by itself does not show.");
}

TEST_CASE("rotary positions of every kind turn a layer's heads as the model's", "[models][layer_document]") {
  Machine machine;
  const Opened o("llama");
  const auto compare_with = [&](const std::function<void(RopeSettings&)>& set) {
    Model model = *o.model;
    RopeSettings& rope = model.spec.decoder->rope;
    rope.factor = 3;
    rope.trained_positions = 5;
    set(rope);
    compare_all(model, run_model(model, o.input, {.logits = LogitRows::None}, machine.work), machine);
  };
  compare_with([](RopeSettings& rope) { rope.interleaved = true; });
  compare_with([](RopeSettings& rope) { rope.rotated = 2; });
  compare_with([](RopeSettings& rope) { rope.divisors = {1.5f, 4}; });
  for (const RopeScaling scaling :
       {RopeScaling::Linear, RopeScaling::Dynamic, RopeScaling::Yarn, RopeScaling::Llama3}) {
    CAPTURE(static_cast<int>(scaling));
    compare_with([&](RopeSettings& rope) { rope.scaling = scaling; });
  }
  compare_with([](RopeSettings& rope) {
    rope.scaling = RopeScaling::Yarn;
    rope.truncate = false;
    rope.magnitude = 1.25;
  });
  Model still = *o.model;
  for (AttentionSpec& block : still.spec.decoder->blocks) block.rotary = false;
  compare_all(still, run_model(still, o.input, {.logits = LogitRows::None}, machine.work), machine);
  Document document = layer_document(*o.model, run_model(*o.model, o.input, {}, machine.work),
                                     block_tensors(*o.model, AttentionOf::Decoder, 0), {}, {});
  const auto divide = [&](Shape shape, float by) {
    auto divisors = std::make_shared<Tensor>(shape);
    std::ranges::fill(divisors->values(), by);
    document.layer().position_settings.rope_divisors = std::move(divisors);
  };
  divide({3}, 1);
  CHECK_THROWS_WITH(check(document), ContainsSubstring("divisors of the rotary frequencies have shape [3]"));
  divide({2}, 0);
  CHECK_THROWS_WITH(check(document), ContainsSubstring("A divisor of the rotary frequencies is 0"));
}

TEST_CASE("labels are those of the tokens, and as many", "[models][layer_document]") {
  Machine machine;
  const Opened o("llama");
  const ModelRun run = run_model(*o.model, o.input, {}, machine.work);
  const BlockTensors tensors = block_tensors(*o.model, AttentionOf::Decoder, 0);
  const Document document = layer_document(*o.model, run, tensors, samples::sentence(9), {});
  CHECK(document.input.sequences[0].tokens[8].text == "t8");
  CHECK(document.title == "Llama · layer 0");
  CHECK_THROWS_WITH(layer_document(*o.model, run, tensors, samples::sentence(8), {}),
                    "There are 8 labels for 9 queries; as many were expected.");
  CHECK_THROWS_WITH(block_tensors(*o.model, AttentionOf::Decoder, 2),
                    "There is no layer 2; the model has 0 to 1.");
  CHECK_THROWS_WITH(block_tensors(*o.model, AttentionOf::Encoder, 0), "Llama has no encoder.");
  CHECK_THROWS_WITH(block_tensors(*o.model, AttentionOf::Cross, 0), "Llama has no attention to an encoder.");
}

}  // namespace attnscope::layer_document_test
