// The stages that a change of the Document touches: every member is tried, and stages that do not depend on
// it must be shared.
#include "core/engine/dirty.hpp"

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>

#include "core/engine/pipeline.hpp"
#include "core/samples.hpp"

namespace attnscope::dirty_test {
namespace {

/// A change of one member, the Fields it must touch, and the first stage that must be computed again.
struct Change {
  const char* member;
  std::function<void(Document&)> apply;
  Fields fields;
};

TensorPtr copied(const TensorPtr& tensor) { return std::make_shared<const Tensor>(*tensor); }

TensorPtr zeros() { return std::make_shared<const Tensor>(Shape{1, 1, 5, 5}); }

/// These lines break the build when a member is added to a struct: then add it here, and to all_changes().
void members_are_complete(const Document& document) {
  [[maybe_unused]] const auto& [input, embedding, embedding_gain, transformer_blocks, looked_at, precision,
                                loss, title, within] = document;
  [[maybe_unused]] const auto& [layer] = transformer_blocks[looked_at];
  [[maybe_unused]] const auto& [d_model, heads, kv_heads, d_k, d_v, weights, positions, position_settings,
                                qk_norm, latent, add_zero_attn, scaling, soft_cap, masking, softmax,
                                empty_row, temperature, linear, intervention, dropout, block] = layer;
  [[maybe_unused]] const auto& [sequences, memory, padded_length, cached, numbers] = input;
  static_assert(std::variant_size_v<decltype(Input::numbers)> == 3);
  [[maybe_unused]] const auto& [edited, edited_memory] = input.from_text();
  [[maybe_unused]] const auto& [q, k, v, past_key, past_value, lengths, holds, guesses] = input.given();
  [[maybe_unused]] const auto& [x, key_vectors, value_vectors] = input.vectors();
  [[maybe_unused]] const auto& [recipe, seed, noise, biases, fused, initialiser, blocks, made_by, parameters,
                                head_names] = weights;
  static_assert(parameter_count == 35);
  [[maybe_unused]] const auto& [block_kind, norm, epsilon, attention_residual, mlp_residual, mlp, gated,
                                activation, d_inner] = block;
  [[maybe_unused]] const auto& [causal, padding, window, sparsity, mask_heads, additive, hidden, mistake] =
      masking;
  [[maybe_unused]] const auto& [scale_kind, factor] = scaling;
  const Intervention head;
  [[maybe_unused]] const auto& [intervention_kind, frozen] = head;
}

std::vector<Change> all_changes() {
  const Fields none;
  return {
      {"text", [](Document& d) { d.input.sequences.change()[0].text.push_back('!'); }, none},
      {"tokens",
       [](Document& d) { d.input.sequences.change()[0].tokens[2] = std::string("new"); },
       {Field::Tokens}},
      {"offset of a token", [](Document& d) { d.input.sequences.change()[0].tokens[2].begin = 99; }, none},
      {"id of a token",
       [](Document& d) { d.input.sequences.change()[0].tokens[2].id = 99; },
       {Field::Tokens}},
      {"sequences",
       [](Document& d) { d.input.sequences.change().push_back(samples::sentence(2)); },
       {Field::Tokens}},
      {"padded_length", [](Document& d) { d.input.padded_length = 9; }, {Field::Tokens}},
      {"given",
       [](Document& d) {
         d.input.numbers = Given{zeros(), zeros(), zeros()};
       },
       {Field::Given}},
      {"holds", [](Document& d) { d.input.change<Given>().holds = GivenTensors::Weights; }, {Field::Given}},
      {"guesses", [](Document& d) { d.input.change<Given>().guesses.causal = "A guess."; }, none},
      {"memory", [](Document& d) { d.input.memory = {samples::sentence(3)}; }, {Field::Memory}},
      {"cached", [](Document& d) { d.input.cached = 2; }, {Field::Tokens}},
      {"vectors", [](Document& d) { d.input.change<Vectors>().query = zeros(); }, {Field::Vectors}},
      {"vectors.key", [](Document& d) { d.input.change<Vectors>().key = zeros(); }, {Field::Vectors}},
      {"vectors.value", [](Document& d) { d.input.change<Vectors>().value = zeros(); }, {Field::Vectors}},
      {"past_key", [](Document& d) { d.input.change<Given>().past_key = zeros(); }, {Field::Given}},
      {"past_value", [](Document& d) { d.input.change<Given>().past_value = zeros(); }, {Field::Given}},
      {"lengths", [](Document& d) { d.input.change<Given>().lengths = {3}; }, {Field::Given}},
      {"embedding", [](Document& d) { d.embedding = Embedding::HandBuilt; }, {Field::Embedding}},
      {"positions", [](Document& d) { d.layer().positions = Positions::None; }, {Field::Positions}},
      {"embedding_gain", [](Document& d) { d.embedding_gain = 2; }, {Field::Embedding}},
      {"edited", [](Document& d) { d.input.change<FromText>().edited = zeros(); }, {Field::Embedding}},
      {"edited_memory",
       [](Document& d) { d.input.change<FromText>().edited_memory = zeros(); },
       {Field::Embedding}},
      {"position_settings",
       [](Document& d) { d.layer().position_settings.rope_base = 500; },
       {Field::Positions}},
      {"d_model", [](Document& d) { d.layer().d_model = 32; }, {Field::Width}},
      {"d_k", [](Document& d) { d.layer().d_k = 3; }, {Field::Width}},
      {"d_v", [](Document& d) { d.layer().d_v = 3; }, {Field::Width}},
      {"heads", [](Document& d) { d.layer().heads = 4; }, {Field::Heads}},
      {"kv_heads", [](Document& d) { d.layer().kv_heads = 1; }, {Field::Heads}},
      {"recipe", [](Document& d) { d.layer().weights.recipe = Recipe::Random; }, none},
      {"seed", [](Document& d) { d.layer().weights.seed = 99; }, {Field::Embedding}},
      {"noise", [](Document& d) { d.layer().weights.noise = 0.5f; }, none},
      {"biases", [](Document& d) { d.layer().weights.biases = !d.layer().weights.biases; }, none},
      {"initialiser", [](Document& d) { d.layer().weights.initialiser = Initialiser::Identity; }, none},
      {"blocks", [](Document& d) { d.layer().weights.of(Projection::Key).gain = 2; }, none},
      {"made_by", [](Document& d) { d.layer().weights.made_by = Recipe::Random; }, none},
      {"fused", [](Document& d) { d.layer().weights.fused = true; }, {Field::Fused}},
      {"extra_key", [](Document& d) { d.layer().weights[Parameter::BiasK] = zeros(); }, {Field::AddedKeys}},
      {"extra_value", [](Document& d) { d.layer().weights[Parameter::BiasV] = zeros(); }, {Field::AddedKeys}},
      {"zero_key", [](Document& d) { d.layer().add_zero_attn = true; }, {Field::AddedKeys}},
      {"position_table",
       [](Document& d) { d.layer().weights[Parameter::PositionTable] = zeros(); },
       {Field::Positions}},
      {"relative_bias",
       [](Document& d) { d.layer().weights[Parameter::RelativeBias] = zeros(); },
       {Field::Positions}},
      {"window_bias",
       [](Document& d) { d.layer().weights[Parameter::WindowBias] = zeros(); },
       {Field::Positions}},
      {"relative_vectors",
       [](Document& d) { d.layer().weights[Parameter::RelativeVectors] = zeros(); },
       {Field::Positions}},
      {"disentangled",
       [](Document& d) { d.layer().positions = Positions::Disentangled; },
       {Field::Positions, Field::Scaling}},
      {"side of a window",
       [](Document& d) { d.layer().masking.sparsity.side = 3; },
       {Field::Masking, Field::Positions}},
      {"latent.width", [](Document& d) { d.layer().latent.width = 4; }, {Field::Latent}},
      {"latent.shared", [](Document& d) { d.layer().latent.shared = 2; }, {Field::Latent}},
      {"latent.query_width", [](Document& d) { d.layer().latent.query_width = 4; }, {Field::Latent}},
      {"latent.normed", [](Document& d) { d.layer().latent.normed = false; }, {Field::Latent}},
      {"latent.epsilon", [](Document& d) { d.layer().latent.epsilon = 0.1f; }, {Field::Latent}},
      {"norm of the latent",
       [](Document& d) { d.layer().weights[Parameter::LatentNorm] = zeros(); },
       {Field::Latent}},
      {"norm of the query latent",
       [](Document& d) { d.layer().weights[Parameter::QueryLatentNorm] = zeros(); },
       {Field::Latent}},
      {"latent weights",
       [](Document& d) { d.layer().weights[Parameter::WLatent] = zeros(); },
       {Field::Latent}},
      {"query latent weights",
       [](Document& d) { d.layer().weights[Parameter::WQueryLatent] = zeros(); },
       {Field::Latent}},
      {"qk_norm", [](Document& d) { d.layer().qk_norm.kind = QkNorm::Kind::Layer; }, {Field::QkNorm}},
      {"qk_norm.epsilon", [](Document& d) { d.layer().qk_norm.epsilon = 0.1f; }, {Field::QkNorm}},
      {"query_norm", [](Document& d) { d.layer().weights[Parameter::QueryNorm] = zeros(); }, {Field::QkNorm}},
      {"key_norm", [](Document& d) { d.layer().weights[Parameter::KeyNorm] = zeros(); }, {Field::QkNorm}},
      {"sinks", [](Document& d) { d.layer().weights[Parameter::SinkLogits] = zeros(); }, {Field::Softmax}},
      {"w_query",
       [](Document& d) {
         d.layer().weights[Parameter::WQuery] = copied(d.layer().weights[Parameter::WQuery]);
       },
       {Field::QueryWeights}},
      {"w_key",
       [](Document& d) { d.layer().weights[Parameter::WKey] = copied(d.layer().weights[Parameter::WKey]); },
       {Field::KeyWeights}},
      {"w_value",
       [](Document& d) {
         d.layer().weights[Parameter::WValue] = copied(d.layer().weights[Parameter::WValue]);
       },
       {Field::ValueWeights}},
      {"w_output",
       [](Document& d) {
         d.layer().weights[Parameter::WOutput] = copied(d.layer().weights[Parameter::WOutput]);
       },
       {Field::OutputWeights}},
      {"b_query", [](Document& d) { d.layer().weights[Parameter::BQuery] = nullptr; }, {Field::QueryWeights}},
      {"b_key", [](Document& d) { d.layer().weights[Parameter::BKey] = nullptr; }, {Field::KeyWeights}},
      {"b_value", [](Document& d) { d.layer().weights[Parameter::BValue] = nullptr; }, {Field::ValueWeights}},
      {"b_output",
       [](Document& d) { d.layer().weights[Parameter::BOutput] = nullptr; },
       {Field::OutputWeights}},
      {"head_names", [](Document& d) { d.layer().weights.head_names = {"one"}; }, none},
      {"scaling.kind", [](Document& d) { d.layer().scaling.kind = Scaling::Kind::Off; }, {Field::Scaling}},
      {"scaling.factor", [](Document& d) { d.layer().scaling.factor = 2; }, {Field::Scaling}},
      {"soft_cap", [](Document& d) { d.layer().soft_cap = 3; }, {Field::SoftCap}},
      {"causal", [](Document& d) { d.layer().masking.causal = true; }, {Field::Masking}},
      {"padding", [](Document& d) { d.layer().masking.padding = true; }, {Field::Masking}},
      {"additive", [](Document& d) { d.layer().masking.additive = zeros(); }, {Field::Masking}},
      {"window", [](Document& d) { d.layer().masking.window.left = 2; }, {Field::Masking}},
      {"sparsity",
       [](Document& d) { d.layer().masking.sparsity.kind = Sparsity::Kind::Strided; },
       {Field::Masking}},
      {"masking.heads", [](Document& d) { d.layer().masking.heads = {1}; }, {Field::Masking}},
      {"hidden",
       [](Document& d) { d.layer().masking.hidden = Masking::Hidden::MinusBillion; },
       {Field::Masking}},
      {"mistake", [](Document& d) { d.layer().masking.mistake = MaskMistake::Transposed; }, {Field::Masking}},
      {"softmax", [](Document& d) { d.layer().softmax = SoftmaxKind::Naive; }, {Field::Softmax}},
      {"empty_row", [](Document& d) { d.layer().empty_row = EmptyRow::Uniform; }, {Field::Softmax}},
      {"temperature", [](Document& d) { d.layer().temperature = 2; }, {Field::Softmax}},
      {"linear", [](Document& d) { d.layer().linear = true; }, {Field::Linear}},
      {"surgery",
       [](Document& d) {
         d.layer().interventions = {{Intervention::Kind::Mute}, {}};
       },
       {Field::Intervention}},
      {"dropout", [](Document& d) { d.layer().dropout.rate = 0.5f; }, {Field::Dropout}},
      {"block.kind", [](Document& d) { d.layer().block.kind = Arrangement::PostNorm; }, {Field::Block}},
      {"block.norm", [](Document& d) { d.layer().block.norm = NormKind::None; }, {Field::BlockNorms}},
      {"block.epsilon", [](Document& d) { d.layer().block.epsilon = 0.1f; }, {Field::BlockNorms}},
      {"block.attention_residual",
       [](Document& d) { d.layer().block.attention_residual = false; },
       {Field::Residuals}},
      {"block.mlp_residual", [](Document& d) { d.layer().block.mlp_residual = false; }, {Field::Residuals}},
      {"block.mlp", [](Document& d) { d.layer().block.mlp = false; }, {Field::Mlp}},
      {"block.gated", [](Document& d) { d.layer().block.gated = true; }, {Field::Mlp}},
      {"block.activation", [](Document& d) { d.layer().block.activation = Activation::Silu; }, {Field::Mlp}},
      {"block.d_inner", [](Document& d) { d.layer().block.d_inner = 3; }, {Field::Mlp}},
      {"attention_norm",
       [](Document& d) { d.layer().weights[Parameter::AttentionNorm] = zeros(); },
       {Field::BlockNorms}},
      {"mlp_output_norm_bias",
       [](Document& d) { d.layer().weights[Parameter::MlpOutputNormBias] = zeros(); },
       {Field::BlockNorms}},
      {"mlp_up", [](Document& d) { d.layer().weights[Parameter::WUp] = zeros(); }, {Field::MlpWeights}},
      {"mlp_down_bias",
       [](Document& d) { d.layer().weights[Parameter::BDown] = zeros(); },
       {Field::MlpWeights}},
      {"precision", [](Document& d) { d.precision = Precision::BFloat16; }, {Field::Precision}},
      {"loss", [](Document& d) { d.loss.kind = Loss::Kind::Sum; }, none},
      {"title", [](Document& d) { d.title = std::string("another"); }, none},
  };
}

Document sample() {
  samples::Random random(1);
  return samples::text_document(random, {5}, 2, 16);
}

Stages downstream_of(Stage first) {
  Stages reached{first};
  for (const StageInfo& row : stage_table) {
    if (row.inputs.intersects(reached)) reached.insert(row.stage);
  }
  return reached;
}

Stages shared_stages(const Trace& a, const Trace& b) {
  Stages shared;
  for (const StageInfo& row : stage_table) {
    if (a[row.stage] == b[row.stage]) shared.insert(row.stage);
  }
  return shared;
}

/// Those of the stages that have a tensor.
Stages stages_there(Stages some, const Trace& trace) {
  Stages there;
  for (const StageInfo& row : stage_table) {
    if (some.has(row.stage) && trace[row.stage]) there.insert(row.stage);
  }
  return there;
}

}  // namespace

TEST_CASE("Every member of the Document is known to the comparison") {
  const Document was = sample();
  members_are_complete(was);
  Fields seen;
  for (const Change& change : all_changes()) {
    INFO("member " << change.member);
    Document now = was;
    change.apply(now);
    REQUIRE(now != was);
    CHECK(changed_fields(was, now) == change.fields);
    CHECK(dirty_stages(was, now).empty() == change.fields.empty());
    seen |= change.fields;
  }
  CHECK(seen == Fields::all());  // every Field has a member
  CHECK(dirty_stages(was, was).empty());
}

TEST_CASE("Every Field is read by a stage, and every stage says what it reads") {
  Fields read;
  for (const StageInfo& row : stage_table) {
    read |= row.fields;
    CHECK(!row.name.empty());
    CHECK(!row.formula.empty());
    CHECK(row.shape.front() == '[');
  }
  CHECK(read == Fields::all());
}

TEST_CASE("Every stage has a symbol of its own, with which its formula begins") {
  std::set<std::string_view> symbols;
  for (const StageInfo& row : stage_table) {
    INFO(row.name);
    CHECK(symbols.insert(row.symbol).second);
    CHECK(row.formula.starts_with(std::string(row.symbol) + " = "));
  }
  CHECK_FALSE(symbols.contains("H"));  // the entropy
  CHECK(info(Stage::Softmax).symbol == "A");
  CHECK(info(Stage::Bias).symbol == "B");
  CHECK(info(Stage::Mix).symbol == "Z");  // TransformerLens' hook_z
}

TEST_CASE("A stage that a change does not touch is shared with the Trace before") {
  struct Case {
    const char* name;
    std::function<void(Document&)> apply;
    Stages dirty;
  };
  const std::vector<Case> cases{
      {"mask", [](Document& d) { d.layer().masking.causal = true; }, downstream_of(Stage::Mask)},
      {"scale", [](Document& d) { d.layer().scaling.kind = Scaling::Kind::Off; },
       downstream_of(Stage::Scale)},
      {"soft-cap", [](Document& d) { d.layer().soft_cap = 3; }, downstream_of(Stage::Cap)},
      {"W_Q",
       [](Document& d) {
         d.layer().weights[Parameter::WQuery] = copied(d.layer().weights[Parameter::WQuery]);
       },
       downstream_of(Stage::Query)},
      {"W_V",
       [](Document& d) {
         d.layer().weights[Parameter::WValue] = copied(d.layer().weights[Parameter::WValue]);
       },
       downstream_of(Stage::Value)},
      {"W_O",
       [](Document& d) {
         d.layer().weights[Parameter::WOutput] = copied(d.layer().weights[Parameter::WOutput]);
       },
       Stages{Stage::Output}},
      {"temperature", [](Document& d) { d.layer().temperature = 3; }, downstream_of(Stage::Softmax)},
      {"surgery",
       [](Document& d) {
         d.layer().interventions = {{}, {Intervention::Kind::Mute}};
       },
       downstream_of(Stage::Intervention)},
      {"positions", [](Document& d) { d.layer().positions = Positions::None; },
       downstream_of(Stage::Position)},
      {"tokens", [](Document& d) { d.input.sequences.change()[0].tokens[0] = std::string("x"); },
       downstream_of(Stage::Embed)},
      {"title", [](Document& d) { d.title = std::string("x"); }, Stages{}},
  };
  for (const Case& one : cases) {
    INFO("change of " << one.name);
    Document document = sample();
    Pipeline pipeline(make_cpu_backend(1));
    const ResultPtr before = pipeline.run(document);
    one.apply(document);
    const ResultPtr after = pipeline.run(document);
    const Stages expected = stages_there(one.dirty, after->layer().trace);
    CHECK(after->layer().computed == expected);
    CHECK(shared_stages(before->layer().trace, after->layer().trace) == Stages::all() - expected);
    CHECK(after->document == document);
    for (const StageInfo& row : stage_table) {
      const double time = after->layer().milliseconds[row.stage];
      CHECK((time > 0) == expected.has(row.stage));
    }
  }
}

TEST_CASE("With given Q, K and V only what reads them or the settings is computed again") {
  samples::Random random(2);
  Document was = samples::given_document(random.tensor({1, 2, 3, 4}), random.tensor({1, 2, 5, 4}),
                                         random.tensor({1, 2, 5, 4}));
  Document now = was;
  now.input.sequences = {samples::sentence(5)};  // labels
  now.layer().heads = 3;
  now.layer().weights.seed = 11;
  CHECK(dirty_stages(was, now).empty());
  now.layer().masking.causal = true;
  Stages from_mask = downstream_of(Stage::Mask);
  from_mask.insert(Stage::Bucket);
  CHECK(dirty_stages(was, now) == from_mask);
  const Document text = sample();
  CHECK(dirty_stages(text, was) == Stages::all());
  CHECK(dirty_stages(was, text) == Stages::all());
}

TEST_CASE("A refused Document leaves the Pipeline as it was") {
  Document document = sample();
  Pipeline pipeline(make_cpu_backend(1));
  const ResultPtr before = pipeline.run(document);
  Document broken = document;
  broken.layer().heads = 7;
  CHECK_THROWS(pipeline.run(broken));
  document.layer().temperature = 2;
  const ResultPtr after = pipeline.run(document);
  CHECK(after->layer().trace[Stage::Mask] == before->layer().trace[Stage::Mask]);
}

}  // namespace attnscope::dirty_test
