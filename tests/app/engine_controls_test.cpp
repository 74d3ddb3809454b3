// Every control of the attention layer's settings, used once: the Document and the result on screen follow.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "app/controls_robot.hpp"
#include "app/scene/scene.hpp"
#include "app/state/regions/stage_look.hpp"
#include "core/files/formats/safetensors.hpp"
#include "support/sparse_weights.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::engine_controls_test {

using namespace attnscope::test;

TEST_CASE("the dots of a section show and hide what is used less often") {
  Robot robot(tall);
  CHECK_FALSE(robot.has("Window left value"));
  click(robot, "More: Mask");
  CHECK(robot.has("Window left value"));
  click(robot, "More: Mask");
  CHECK_FALSE(robot.has("Window left value"));
  click(robot, "Mask");  // folds the section; the dots unfold both
  CHECK_FALSE(robot.has("Mask: None"));
  click(robot, "More: Mask");
  CHECK(robot.has("Mask: None"));
  CHECK(robot.has("Window left value"));
}

TEST_CASE("a large file is read behind the window, and another one takes its place") {
  const test::TemporaryDirectory directory;
  const std::filesystem::path large = directory / "large.safetensors";
  write_sparse_weights(large, "l.0.attn", 1, 2048);
  Robot robot(tall);
  const std::string before = robot.document().title;
  robot.app().files().opening.open(large);
  CHECK_FALSE(robot.app().settled());
  CHECK(robot.document().title == before);  // the old document stays until the new one is read
  robot.settle();
  CHECK(robot.document().title == "large.safetensors · l.0.attn");
  CHECK(shown(robot).dimensions.keys == 2048);
  robot.app().files().opening.open(large);
  robot.app().files().opening.open(std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" /
                                   "1-the-cat-sat.json");  // the first is not waited for
  robot.settle();
  CHECK(shown(robot).dimensions.keys == 6);
  robot.frame(5);
  CHECK(shown(robot).dimensions.keys == 6);
  std::filesystem::resize_file(large, 17 << 20);  // more than its header tells of
  robot.app().files().opening.open(large);
  robot.settle();
  CHECK_THAT(robot.app().message(), Catch::Matchers::ContainsSubstring("large.safetensors"));
  CHECK(shown(robot).dimensions.keys == 6);
}

TEST_CASE("the layers of a dump are listed and chosen") {
  const TemporaryDirectory directory;
  const Tensor small(Shape{2, 3, 4}), large(Shape{4, 5, 4});
  const std::filesystem::path path = directory / "dump.safetensors";
  write_safetensors(path, std::array{NamedTensor{"h.0.q", &small}, NamedTensor{"h.0.k", &small},
                                     NamedTensor{"h.0.v", &small}, NamedTensor{"h.1.q", &large},
                                     NamedTensor{"h.1.k", &large}, NamedTensor{"h.1.v", &large}});
  Unfolded robot("Input");
  CHECK_FALSE(robot.has("Layer"));
  robot.app().files().opening.open(path);
  robot.settle();
  CHECK(shown(robot).dimensions.heads == 2);
  choose(robot, "Layer", "h.1##layer");
  CHECK(shown(robot).dimensions.heads == 4);
  CHECK(robot.document().title == "dump.safetensors · h.1");
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);  // the list follows the document
  robot.settle();
  CHECK(shown(robot).dimensions.heads == 2);
  choose(robot, "Layer", "h.1##layer");
  CHECK(shown(robot).dimensions.heads == 4);
  std::filesystem::remove(path);  // nothing is lost when the file is gone
  choose(robot, "Layer", "h.0##layer");
  CHECK(robot.app().message().find("dump.safetensors") != std::string::npos);
  CHECK(shown(robot).dimensions.heads == 4);
}

TEST_CASE("a second text makes cross-attention, with its own labels and chips") {
  Unfolded robot("Input");
  click(robot, "Cross-attention");
  REQUIRE(shown(robot).document.input.memory.size() == 1);
  CHECK(shown(robot).dimensions.queries == 6);
  CHECK(shown(robot).dimensions.keys == 6);
  CHECK(robot.has("query token 2"));
  CHECK(robot.has("key token 5"));
  robot.retype("##Memory", "le chat dort");
  CHECK(shown(robot).dimensions.keys == 3);
  CHECK(shown(robot).trace[Stage::Memory]);
  robot.click("key token 2");
  robot.click("query token 5");
  robot.leave();
  robot.frame();
  CHECK(robot.app().selection().cell == Cell{5, 2});
  // An emptied field stays, says why nothing is computed, and goes on.
  robot.click("##Memory");
  robot.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot.key(ImGuiKey_Backspace);
  robot.settle();
  CHECK(robot.app().message().find("second text") != std::string::npos);
  robot.type("oui");
  robot.settle();
  CHECK(robot.app().message().empty());
  CHECK(shown(robot).dimensions.keys == 1);
  click(robot, "Cross-attention");
  CHECK(robot.document().input.memory.empty());
  CHECK(shown(robot).dimensions.keys == 6);
  click(robot, "Cross-attention");
  CHECK(robot.document().input.memory.front().text == "oui");
}

TEST_CASE("cached tokens leave fewer queries, and a click on a cached token asks nothing") {
  Unfolded robot("Input");
  CHECK(robot.has("KV cache"));
  robot.type_number("Cached tokens value", "4");
  CHECK(shown(robot).dimensions.past == 4);
  CHECK(shown(robot).dimensions.queries == 2);
  CHECK(shown(robot).dimensions.keys == 6);
  robot.click("token 5");
  CHECK(robot.app().selection().cell.query == 1);
  robot.click("token 1");
  CHECK(robot.app().selection().cell.query == 1);
  robot.type_number("Cached tokens value", "40");
  CHECK(robot.document().input.cached == 5);
  click(robot, "Cached tokens less");
  CHECK(shown(robot).dimensions.queries == 2);
}

TEST_CASE("fused projections, a learned key and a zero key") {
  Unfolded robot("Weights");
  click(robot, "Fused QKV");
  CHECK(shown(robot).trace[Stage::Fuse]);
  click(robot, "Learned key");
  CHECK(shown(robot).dimensions.extra == 1);
  CHECK(shown(robot).dimensions.keys == 7);
  click(robot, "Zero key");
  CHECK(shown(robot).dimensions.keys == 8);
  CHECK(cell_of(robot, Stage::Score, 0, 5, 7) == 0);
  click(robot, "Learned key");
  CHECK_FALSE(robot.document().layer().weights[Parameter::BiasK]);
  CHECK(shown(robot).dimensions.keys == 7);
}

TEST_CASE("keys and values have heads and widths of their own") {
  Unfolded robot("Heads");
  click(robot, "KV heads less");
  CHECK(shown(robot).dimensions.kv_heads == 4);
  robot.type_number("KV heads value", "1");
  CHECK(shown(robot).trace[Stage::Key]->shape()[1] == 1);
  robot.type_number("KV heads value", "3");
  CHECK(robot.app().message().find("3 heads of keys") != std::string::npos);
  robot.type_number("KV heads value", "8");
  CHECK(robot.document().layer().kv_heads == 0);
  robot.type_number("d_v value", "5");
  CHECK(shown(robot).dimensions.d_v == 5);
  CHECK(shown(robot).trace[Stage::Value]->shape()[3] == 5);
}

TEST_CASE("all kinds of positions with their settings") {
  Robot robot(tall);
  choose(robot, "Positions kind", "None");
  CHECK(robot.document().layer().positions == Positions::None);
  choose(robot, "Positions kind", "Learned");
  CHECK(shown(robot).document.layer().positions == Positions::Learned);
  choose(robot, "Positions kind", "ALiBi");
  CHECK(cell_of(robot, Stage::Bias, 0, 5, 0) < cell_of(robot, Stage::Bias, 0, 5, 4));
  choose(robot, "Positions kind", "Relative buckets");
  click(robot, "Buckets less");
  CHECK(robot.document().layer().position_settings.buckets == 30);
  robot.type_number("Buckets value", "4");
  robot.type_number("Bucket distance value", "1");
  CHECK(robot.document().layer().position_settings.bucket_distance == 2);
  click(robot, "Two-sided");
  CHECK_FALSE(shown(robot).document.layer().position_settings.buckets_two_sided);
  robot.type_number("Buckets value", "5");
  click(robot, "Two-sided");
  CHECK(robot.document().layer().position_settings.buckets == 6);
  choose(robot, "Positions kind", "Rows and columns");
  robot.type_number("Image width value", "3");
  robot.type_number("Window side value", "3");
  CHECK(robot.document().layer().masking.sparsity.grid == 3);
  CHECK(robot.document().layer().masking.sparsity.side == 3);
  CHECK(cell_of(robot, Stage::Bias, 0, 4, 1) == cell_of(robot, Stage::Bias, 0, 5, 2));  // one row up
  choose(robot, "Positions kind", "Disentangled");
  robot.type_number("Relative span value", "2");
  CHECK(scale_width(shown(robot).document, 8) == 24);
  CHECK(shown(robot).trace[Stage::Bias]->shape()[1] == 8);
  click(robot, "Content to position");
  click(robot, "Position to content");
  CHECK(cell_of(robot, Stage::Bias, 0, 4, 1) == 0);
  CHECK(scale_width(shown(robot).document, 8) == 8);
  CHECK(robot.app().message().empty());
  choose(robot, "Positions kind", "RoPE, halves");
  CHECK(shown(robot).trace[Stage::RotateQuery] != shown(robot).trace[Stage::Query]);
  const TensorPtr turned = shown(robot).trace[Stage::RotateKey];
  robot.drag(robot.centre("RoPE base"), {20, robot.centre("RoPE base").y});
  robot.settle();
  CHECK(robot.document().layer().position_settings.rope_base < 100);
  CHECK(*shown(robot).trace[Stage::RotateKey] != *turned);
  click(robot, "Rotated dims less");
  CHECK(robot.document().layer().position_settings.rope_dims == 6);
  const TensorPtr unscaled = shown(robot).trace[Stage::RotateKey];
  choose(robot, "RoPE scaling", "Linear");
  CHECK(*shown(robot).trace[Stage::RotateKey] != *unscaled);
  choose(robot, "RoPE scaling", "Dynamic NTK");
  CHECK(*shown(robot).trace[Stage::RotateKey] == *unscaled);  // the text is short
  robot.type_number("Trained length value", "3");
  CHECK(*shown(robot).trace[Stage::RotateKey] != *unscaled);
  choose(robot, "RoPE scaling", "Llama 3");
  robot.drag(robot.centre("Few turns"), {500, robot.centre("Few turns").y});
  robot.settle();
  CHECK(robot.app().message().empty());  // the other bound was moved
  CHECK(shown(robot).document.layer().position_settings.rope_high_turns > 4);
  choose(robot, "RoPE scaling", "YaRN");
  robot.drag(robot.centre("RoPE factor"), {20, robot.centre("RoPE factor").y});
  robot.settle();
  CHECK(shown(robot).document.layer().position_settings.rope_factor == 1);
  choose(robot, "RoPE scaling", "Not scaled");
  choose(robot, "Positions kind", "RoPE, interleaved");
  CHECK(shown(robot).document.layer().positions == Positions::RopeInterleaved);
  robot.leave();
  robot.key(ImGuiKey_O);
  robot.key(ImGuiKey_O);
  robot.settle();
  CHECK(robot.document().layer().positions == Positions::RopeInterleaved);
}

TEST_CASE("queries and keys are normed") {
  Unfolded robot("Weights");
  const TensorPtr scores = shown(robot).trace[Stage::Score];
  click(robot, "QK-norm: RMS");
  CHECK(robot.document().layer().qk_norm.kind == QkNorm::Kind::RootMeanSquare);
  CHECK(shown(robot).trace[Stage::NormQuery] != shown(robot).trace[Stage::Query]);
  CHECK(*shown(robot).trace[Stage::Score] != *scores);
  click(robot, "QK-norm: LN");
  CHECK(shown(robot).document.layer().qk_norm.kind == QkNorm::Kind::Layer);
  click(robot, "QK-norm: Off");
  CHECK(*shown(robot).trace[Stage::Score] == *scores);
  CHECK_FALSE(robot.document().layer().weights[Parameter::QueryNorm]);
}

TEST_CASE("keys and values are made of a latent") {
  Unfolded robot("Weights");
  const Document before = robot.document();
  click(robot, "Latent attention");
  const Latent& latent = robot.document().layer().latent;
  CHECK(latent.width == robot.document().layer().d_model / 4);
  CHECK(robot.document().layer().weights.recipe == Recipe::Random);
  REQUIRE(shown(robot).trace[Stage::Latent]);
  CHECK(shown(robot).trace[Stage::Latent]->shape()[2] == latent.width + latent.shared);
  CHECK_FALSE(shown(robot).trace[Stage::QueryLatent]);
  CHECK_FALSE(robot.has("Fused QKV"));
  robot.type_number("Query latent value", "3");
  robot.settle();
  REQUIRE(shown(robot).trace[Stage::QueryLatent]);
  CHECK(shown(robot).trace[Stage::QueryLatent]->shape()[2] == 3);
  robot.type_number("Shared key value", "99");  // less than d_k
  robot.settle();
  CHECK(robot.document().layer().latent.shared == key_width(robot.document()) - 1);
  CHECK(robot.app().message().empty());
  const TensorPtr normed = shown(robot).trace[Stage::Latent];
  click(robot, "Norm of latents");
  CHECK(*shown(robot).trace[Stage::Latent] != *normed);
  CHECK_FALSE(robot.document().layer().weights[Parameter::LatentNorm]);
  click(robot, "Latent attention");
  CHECK_FALSE(shown(robot).trace[Stage::Latent]);
  CHECK(robot.document().layer().latent == before.layer().latent);
}

TEST_CASE("numbers are stored as precisely as asked for") {
  Unfolded robot("Softmax");
  const float exact = cell_of(robot, Stage::Softmax, 3, 2, 1);
  click(robot, "Precision: bf16");
  CHECK(shown(robot).document.precision == Precision::BFloat16);
  CHECK(cell_of(robot, Stage::Softmax, 3, 2, 1) != exact);
  click(robot, "Precision: fp16");
  CHECK(shown(robot).document.precision == Precision::Float16);
  click(robot, "Precision: fp32");
  CHECK(cell_of(robot, Stage::Softmax, 3, 2, 1) == exact);
}

TEST_CASE("a loss brings gradients, their norms and their pictures") {
  Robot robot(tall);
  click(robot, "Backward");
  CHECK(robot.has("Jacobian of the row"));
  CHECK_FALSE(robot.has("Gradient Q"));
  click(robot, "Loss: Sum");
  REQUIRE(shown(robot).gradients);
  CHECK(shown(robot).head_gradients.size() == 8);
  CHECK(robot.has("Gradient Q"));
  for (const char* plane : {"∂A weights", "∂M masked logits", "∂S scores"}) {
    robot.leave();
    robot.frame();
    const Image before = robot.pixels();
    choose(robot, "Other stages", plane);
    CHECK(stage_look_of(robot.app().view()).stage.is_gradient());
    robot.leave();
    robot.frame();
    CHECK_FALSE((robot.pixels() == before));
  }
  const double sum = shown(robot).gradients->loss;
  click(robot, "Loss: Mean sq.");
  CHECK(shown(robot).gradients->loss != sum);
  click(robot, "Loss: Off");
  CHECK_FALSE(shown(robot).gradients);
  CHECK_FALSE(stage_look_of(robot.app().view()).stage.is_gradient());
}

TEST_CASE("the statistics of the shown head") {
  Robot robot(tall);
  click(robot, "Statistics");
  for (const char* fact : {"Effective keys", "Mean distance", "Mass on itself", "Mass on previous",
                           "Mass on next", "Mass on first", "Mass on special"})
    CHECK(robot.has(fact));
  CHECK_FALSE(robot.has("Mass on extra"));
  CHECK(shown(robot).measures.head(0, 0).previous > 0.5);
}

TEST_CASE("every stage there is can be looked at, with the keys as well") {
  Unfolded robot("Softmax");
  click(robot, "Soft-cap");
  choose(robot, "Positions kind", "ALiBi");
  click(robot, "Linear attention");
  robot.type_number("Dropout value", "0.3");
  for (const std::string_view name : {"Capped logits", "Bias", "Softmax", "Dropped"})
    choose(robot, "Other stages", name);
  std::vector<Plane> seen;
  for (int i = 0; i < 12; ++i) robot.key(ImGuiKey_Comma);
  for (int i = 0; i < 12; ++i) {
    if (seen.empty() || seen.back() != stage_look_of(robot.app().view()).stage)
      seen.push_back(stage_look_of(robot.app().view()).stage);
    robot.key(ImGuiKey_Period);
    robot.settle();
  }
  CHECK(seen == planes(shown(robot)));
  CHECK(seen.size() == 8);
}

TEST_CASE("tensors with fewer queries than keys are labelled by where the queries stand") {
  const test::TemporaryDirectory directory;
  const auto open = [&](Robot& robot, std::string_view given) {
    const std::filesystem::path path = directory / "given.json";
    std::ofstream(path) << R"({"attnscope": 1, "positions": "none", "mask": {"causal": true}, "given": {)"
                        << R"("query": [[[[1, 0], [0, 1]]]], "key": [[[[1, 0], [0, 1], [1, 1], [2, 1]]]], )"
                        << R"("value": [[[[1], [2], [3], [4]]]])" << given << "}}";
    robot.app().files().opening.open(path);
    robot.settle();
  };
  Robot robot(tall);
  open(robot, "");  // without lengths the queries are not the keys' tokens
  CHECK(is_cross(shown(robot)));
  robot.click("key token 3");
  robot.click("query token 0");
  CHECK(robot.app().selection().cell == Cell{0, 3});
  CHECK(plain(query_label(shown(robot), 0, 1)) == "1");
  open(robot, R"(, "lengths": [4])");  // the queries are the last of the real keys
  CHECK_FALSE(is_cross(shown(robot)));
  CHECK(plain(query_label(shown(robot), 0, 1)) == "3");
  robot.click("token 3");
  CHECK(robot.app().selection().cell.query == 1);
  click(robot, "Weights");
  click(robot, "Zero key");
  CHECK(plain(key_label(shown(robot), 0, 4)) == "[zero]");
  CHECK(robot.app().message().empty());
}

TEST_CASE("everything at once is drawn at any size, in a batch, and without a text") {
  for (const char* example : {"2-three-tokens.json", "3-two-banks.json"}) {
    Robot robot({.width = 1280,
                 .height = 720,
                 .file = std::filesystem::path(ATTNSCOPE_ASSETS) / "examples" / example});
    for (const char* section :
         {"Scaling", "Softmax", "Input", "Heads", "Positions", "Backward", "Statistics"}) {
      if (robot.has(section)) click(robot, section);
    }
    for (const char* dots : {"More: Mask", "More: Input", "More: Weights", "More: Softmax"}) {
      if (robot.has(dots)) click(robot, dots);
    }
    CHECK(robot.app().message().empty());
  }
}

}  // namespace attnscope::engine_controls_test
