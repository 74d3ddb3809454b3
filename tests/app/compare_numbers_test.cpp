// Compare: the numbers of A − B against naive ones, and the list of settings that differ.
#include <cmath>
#include <functional>

#include "app/compare_robot.hpp"
#include "app/kit/ui/own_words.hpp"
#include "app/views/held/settings.hpp"
#include "core/analysis/total_variation.hpp"
#include "core/edits/edits.hpp"
#include "core/edits/heads.hpp"

namespace attnscope::compare_numbers_test {

using namespace attnscope::test;

TEST_CASE("A − B, its size and the ratio are what a naive loop gives") {
  Comparing robot;
  robot.key(ImGuiKey_Backslash);
  robot.key(ImGuiKey_S);
  robot.key(ImGuiKey_N);
  robot.settle();
  Pair pair(robot);
  int infinite = 0, finite = 0;
  for (const Stage stage : {Stage::Score, Stage::Scale, Stage::Mask, Stage::Softmax}) {
    for (int h = 0; h < 8; ++h) {
      const auto a = pair.a->layer().trace[stage]->matrix(0, h),
                 b = pair.b->layer().trace[stage]->matrix(0, h);
      const auto minus = pair.stats.matrix({stage, Plane::Kind::Difference}, 0, h);
      const auto size = pair.stats.matrix({stage, Plane::Kind::Magnitude}, 0, h);
      const auto ratio = pair.stats.matrix({stage, Plane::Kind::Ratio}, 0, h);
      for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
          const double x = static_cast<double>(a(i, j)), y = static_cast<double>(b(i, j));
          const bool same = x == y, number = std::isfinite(x) && std::isfinite(y);
          (number ? finite : infinite) += 1;
          if (!number) {
            CHECK(static_cast<double>(minus(i, j)) == (same ? 0 : x - y));
            continue;
          }
          CHECK(std::abs(static_cast<double>(minus(i, j)) - (x - y)) <= 1e-6 * std::abs(x - y));
          CHECK(std::abs(static_cast<double>(size(i, j)) - std::abs(x - y)) <= 1e-6 * std::abs(x - y));
          const double doublings = same ? 0 : std::log2(std::abs(x)) - std::log2(std::abs(y));
          if (std::isfinite(doublings)) {
            CHECK(std::abs(static_cast<double>(ratio(i, j)) - doublings) <= 1e-4);
          } else {
            CHECK(static_cast<double>(ratio(i, j)) == doublings);
          }
        }
      }
    }
  }
  CHECK(finite > 900);
  CHECK(infinite == 8 * 15);  // the causal half of B before the softmax
}

TEST_CASE("the mass that moved is half the sum of what differs, row by row and on the mean") {
  CHECK(total_variation(std::vector<float>{0.5f, 0.5f, 0}, std::vector<float>{0, 0.5f, 0.5f}) == 0.5);
  CHECK(total_variation(std::vector<float>{1, 0}, std::vector<float>{0, 1}) == 1);
  CHECK(total_variation({}, {}) == 0);
  Comparing robot({.width = 1600, .height = 1000, .file = examples / "3-two-banks.json"});
  robot.key(ImGuiKey_Backslash);
  robot.key(ImGuiKey_S);
  robot.settle();
  Pair pair(robot);
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t h = 0; h < 8; ++h) {
      const auto x = pair.a->layer().trace[Stage::Softmax]->matrix(b, h),
                 y = pair.b->layer().trace[Stage::Softmax]->matrix(b, h);
      double mean = 0, rows = 0;
      const TotalVariationPtr moved = pair.stats.moved(b, h);
      for (Eigen::Index i = 0; i < x.rows(); ++i) {
        double sum = 0;
        for (Eigen::Index j = 0; j < x.cols(); ++j)
          sum += std::abs(static_cast<double>(x(i, j)) - static_cast<double>(y(i, j)));
        CHECK(std::abs(moved->rows[static_cast<std::size_t>(i)] - sum / 2) < 1e-12);
        const bool padding = i >= (b == 0 ? 8 : 5);  // "The bank raised its rates" is shorter
        if (padding) continue;
        mean += sum / 2;
        ++rows;
      }
      CHECK(std::abs(moved->mean - mean / rows) < 1e-12);
    }
  }
  CHECK(pair.stats.moved(0, 3)->mean > 0.05);
}

TEST_CASE("every setting that differs is named, with a word for each side") {
  Robot robot;
  robot.settle();
  const Document a = robot.document();
  CHECK(differing_settings(a, a).empty());
  Document renamed = a;
  renamed.title = "another name";
  CHECK(differing_settings(a, renamed).empty());

  using Change = std::function<void(Document&)>;
  struct Case {
    std::string_view name;
    std::string a, b;
    Change change;
  };
  const TensorPtr block = a.layer().weights[Parameter::WQuery];
  const std::vector<Case> cases{
      {"scale", "÷ √8", "÷ 1", [](Document& d) { d.layer().scaling.kind = Scaling::Kind::Off; }},
      {"scale", "÷ √8", "× 0.30",
       [](Document& d) {
         d.layer().scaling = {Scaling::Kind::Factor, 0.3f};
       }},
      {"mask", "causal", "no mask", [](Document& d) { d.layer().masking.causal = false; }},
      {"mask", "causal", "causal + padding", [](Document& d) { d.layer().masking.padding = true; }},
      {"temperature", "τ 1.00", "τ 0.50", [](Document& d) { d.layer().temperature = 0.5f; }},
      {"attention", "softmax", "linear", [](Document& d) { d.layer().linear = true; }},
      {"softmax", "stable softmax", "naive softmax",
       [](Document& d) { d.layer().softmax = SoftmaxKind::Naive; }},
      {"positions", "sinusoidal", "no positions", [](Document& d) { d.layer().positions = Positions::None; }},
      {"positions", "sinusoidal", "RoPE", [](Document& d) { d.layer().positions = Positions::RopeHalf; }},
      {"precision", "fp32", "bf16", [](Document& d) { d.precision = Precision::BFloat16; }},
      {"soft-cap", "no cap", "cap 5.00", [](Document& d) { d.layer().soft_cap = 5; }},
      {"window", "no window", "window 2, ∞", [](Document& d) { d.layer().masking.window.left = 2; }},
      {"pattern", "full", "stride 3",
       [](Document& d) { d.layer().masking.sparsity.kind = Sparsity::Kind::Strided; }},
      {"heads masked", "mask on all heads", "mask on head 2",
       [](Document& d) { d.layer().masking.heads = {2}; }},
      {"painted cells", "nothing painted", "painted mask",
       [](Document& d) { d = edit::hidden_cell(d, 0, 0, 1, 0, true); }},
      {"hidden score", "hidden −∞", "hidden −1e9",
       [](Document& d) { d.layer().masking.hidden = Masking::Hidden::MinusBillion; }},
      {"hidden score", "hidden −∞", "hidden + −1e9",
       [](Document& d) { d.layer().masking.hidden = Masking::Hidden::AddedMinusBillion; }},
      {"hidden score", "hidden −∞", "hidden finfo.min",
       [](Document& d) { d.layer().masking.hidden = Masking::Hidden::LeastFinite; }},
      {"rows without a key", "no key: zeros", "no key: NaN",
       [](Document& d) { d.layer().empty_row = EmptyRow::NotANumber; }},
      {"mistake", "no mistake", "mask transposed",
       [](Document& d) { d.layer().masking.mistake = MaskMistake::Transposed; }},
      {"dropout", "no dropout", "dropout 10.0 %", [](Document& d) { d.layer().dropout.rate = 0.1f; }},
      {"intervention", "no intervention", "head 3 ablated",
       [](Document& d) {
         d.layer().interventions.resize(8);
         d.layer().interventions[3].kind = Intervention::Kind::Mute;
       }},
      {"noise", "noise 0.10", "noise 0.50", [](Document& d) { d = edit::noise(d, 0.5f); }},
      {"seed", "seed 7", "seed 8", [](Document& d) { d = edit::seed(d, 8); }},
      {"weights", "hand-built W", "random W", [](Document& d) { d = edit::recipe(d, Recipe::Random); }},
      {"weights", "hand-built W", "W edited",
       [](Document& d) {
         d.layer().weights.made_by = Recipe::HandBuilt;
         d.layer().weights.recipe = Recipe::Given;
       }},
      {"query block", "W_Q × 1.00", "W_Q × 2.00",
       [](Document& d) { d.layer().weights.of(Projection::Query).gain = 2; }},
      {"key and value heads", "8 k/v heads", "2 k/v heads", [](Document& d) { d = edit::kv_heads(d, 2); }},
      {"zero key", "no zero key", "zero key", [](Document& d) { d.layer().add_zero_attn = true; }},
      {"QK-norm", "no QK-norm", "QK RMSNorm",
       [](Document& d) { d = edit::qk_norm(d, QkNorm::Kind::RootMeanSquare); }},
      {"sinks", "no sinks", "learned sinks", [](Document& d) { d = edit::sinks(d, true); }},
      {"pattern", "full", "windows of 2²",
       [](Document& d) { d.layer().masking.sparsity.kind = Sparsity::Kind::Windows; }},
      {"projection", "W apart", "fused W", [](Document& d) { d.layer().weights.fused = true; }},
      {"second text", "self-attention", "cross-attention",
       [](Document& d) { d = edit::memory(d, "le chat"); }},
      {"cache", "no cache", "3 cached", [](Document& d) { d.input.cached = 3; }},
      {"padded length", "not padded", "padded to 9", [](Document& d) { d.input.padded_length = 9; }},
      {"text", "“cat”", "“dog”", [](Document& d) { d = edit::text(d, 0, "The dog sat on the mat"); }},
      {"text", "6 tokens", "2 tokens", [](Document& d) { d = edit::text(d, 0, "The cat"); }},
      {"loss", "no loss", "loss Σ", [](Document& d) { d.loss.kind = Loss::Kind::Sum; }},
      {"embedding gain", "X × 1.00", "X × 3.00", [](Document& d) { d.embedding_gain = 3; }},
      {"token vectors", "X as made", "X edited",
       [&](Document& d) {
         d.input.change<FromText>().edited = std::make_shared<const Tensor>(Shape{1, 6, 64});
       }},
  };
  for (const Case& c : cases) {
    INFO(c.name << ": " << c.a << " | " << c.b);
    Document b = a;
    c.change(b);
    const std::vector<SettingDifference> all = differing_settings(a, b), back = differing_settings(b, a);
    const auto at = std::find_if(all.begin(), all.end(), [&](const SettingDifference& one) {
      return one.name == c.name && plain(one.a) == c.a && plain(one.b) == c.b;
    });
    REQUIRE(at != all.end());
    const auto there = static_cast<std::size_t>(at - all.begin());
    REQUIRE(back.size() == all.size());
    CHECK(back[there].name == c.name);
    CHECK(plain(back[there].a) == c.b);
    CHECK(plain(back[there].b) == c.a);
  }
}

TEST_CASE("numbers that are the same block by block differ in nothing, edited ones do") {
  Robot robot;
  robot.settle();
  Document a = robot.document();
  a.layer().weights.recipe = Recipe::Given;
  Document b = a;
  b.layer().weights[Parameter::WKey] = std::make_shared<const Tensor>(
      *a.layer().weights[Parameter::WKey]);  // another allocation with the same numbers
  CHECK(differing_settings(a, b).empty());
  Tensor edited = *a.layer().weights[Parameter::WKey];
  edited.values()[17] += 0.25f;
  b.layer().weights[Parameter::WKey] = std::make_shared<const Tensor>(std::move(edited));
  const std::vector<SettingDifference> all = differing_settings(a, b);
  REQUIRE(all.size() == 1);
  CHECK(all[0].name == "weights");
  CHECK(all[0].a != all[0].b);
}

TEST_CASE("scaled rotary positions differ by their scaling, then by its numbers") {
  Document a;
  a.input.sequences = {Sequence{"a b", {"a", "b"}}};
  a.layer().positions = Positions::RopeHalf;
  const auto told = [](const Document& self, const Document& other) {
    const std::vector<SettingDifference> all = differing_settings(self, other);
    return all.empty() ? std::string() : plain(all.front().a + " | " + all.front().b);
  };
  Document b = a;
  PositionSettings& settings = b.layer().position_settings;
  settings.rope_factor = 2;
  CHECK(told(a, b).empty());  // nothing reads it
  settings.rope_scaling = RopeScaling::Yarn;
  CHECK(told(a, b) == "RoPE not scaled | YaRN");
  Document c = b;
  c.layer().position_settings.rope_factor = 4;
  CHECK(told(b, c) == "RoPE factor 2.00 | RoPE factor 4.00");
  c.layer().position_settings = settings;
  c.layer().position_settings.rope_trained = 16;
  CHECK(told(b, c) == "trained for 8192 | trained for 16");
  c.layer().position_settings = settings;
  c.layer().position_settings.rope_low_turns = 2;
  CHECK(told(b, c).empty());  // a parameter of a scaling that is not used
  c.layer().position_settings.rope_slow_turns = 2;
  CHECK(told(b, c) == "1.00 to 32.00 turns | 2.00 to 32.00 turns");
}

}  // namespace attnscope::compare_numbers_test
