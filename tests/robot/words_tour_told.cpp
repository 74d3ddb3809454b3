// tests/robot: the parts of the tour that need numbers nobody should type, and documents in which Walk has
// something else to say.
#include <fstream>

#include "app/views/controls/column.hpp"
#include "tests/robot/words_tour.hpp"

namespace attnscope {

/// What cannot be computed, with its cures; then the line that stays of the message.
void WordsTour::refusals() {
  part_ = "explore";
  constexpr std::pair<const char*, const char*> wrong[]{{"Head count value", "7"}, {"Head count value", "0"},
                                                        {"d_model value", "6000"}, {"d_model value", "65"},
                                                        {"KV heads value", "3"},   {"d_v value", "5000"}};
  for (const auto& [control, number] : wrong) {
    robot_.app().open(file_);
    robot_.app().view() = ViewState{};
    robot_.app().view().more.fill(true);
    robot_.app().view().fold.fill(1);
    wait();
    robot_.type_number(control, number);
    seen_.clear();
    rest_on_everything();
    robot_.click("Dismiss");
    robot_.frame(2);
  }
}

/// Two heads of what is held, and what is held in Explore.
void WordsTour::held_heads() {
  part_ = "compare";
  robot_.app().open(file_);
  robot_.app().view() = ViewState{};
  wait();
  robot_.app().hold();
  robot_.type_number("d_k value", "16");
  seen_.clear();
  rest_on_everything();
  robot_.click("Held");
  wait();
  robot_.click("Held head more");
  wait();
  rest_on_everything();
  robot_.app().release_held();
}

/// Settings of today's models, whose controls stand behind dots or behind other settings.
void WordsTour::modern_settings() {
  part_ = "explore";
  constexpr std::pair<Section, const char*> settings[]{
      {Section::Positions, R"("positions": "rope-half", "position_settings": {"rope_scaling": "linear"})"},
      {Section::Positions, R"("positions": "rope-half", "position_settings": {"rope_scaling": "dynamic"})"},
      {Section::Positions, R"("positions": "rope-half", "position_settings": {"rope_scaling": "yarn"})"},
      {Section::Positions, R"("positions": "rope-half", "position_settings": {"rope_scaling": "llama3"})"},
      {Section::Mask, R"("mask": {"sparsity": {"kind": "windows"}})"},
      {Section::Positions, R"("positions": "windows")"},
      {Section::Positions, R"("positions": "disentangled")"},
      {Section::Scaling, R"("positions": "disentangled")"},
      {Section::Weights, R"("qk_norm": {"kind": "rms"})"},
      {Section::Weights, R"("weights": "random", "latent": {"width": 4, "shared": 2, "query_width": 3})"},
      {Section::Cost, R"("weights": "random", "latent": {"width": 4, "query_width": 3, "normed": false})"},
      {Section::Weights, R"("block": {"kind": "pre-norm"})"},
      {Section::Block, R"("block": {"kind": "pre-norm"})"},
      {Section::Block, R"("block": {"kind": "post-norm", "gated": true})"},
      {Section::Cost, R"("block": {"kind": "parallel"})"},
      {Section::Cost, R"("qk_norm": {"kind": "layer"}, "sinks": [0, 1])"},
      {Section::Softmax, R"("sinks": [0, 1])"},
      {Section::Softmax, R"("sinks": [0, 1], "linear": true)"},
      {Section::Statistics, R"("sinks": [0, 1])"}};
  for (const auto& [section, setting] : settings) {
    const std::filesystem::path path = directory_ / "modern.json";
    std::ofstream(path, std::ios::binary) << R"({"attnscope": 1, "title": "m", "d_model": 16, "heads": 2, )"
                                          << R"("text": ["The cat sat on the mat"], )" << setting << "}";
    robot_.app().open(path);
    robot_.app().view() = ViewState{};
    robot_.app().view().more.fill(true);
    robot_.app().view().fold.fill(-1);
    robot_.app().view().fold[static_cast<std::size_t>(section)] = 1;
    wait();
    seen_.clear();
    rest_on_everything();
    for (const char* list :
         {"RoPE scaling", "Other stages", "Block preset", "Block arrangement", "Activation"}) {
      if (!robot_.has(list)) continue;
      robot_.click(list);
      wait();
      rest_on_everything();
      robot_.key(ImGuiKey_Escape);
      wait();
    }
  }
  robot_.app().open(file_);
  robot_.app().view() = ViewState{};
  wait();
}

/// Every move of every kind of document, for a few cells; the last one also with its head muted.
void WordsTour::walks() {
  constexpr const char* kinds[]{R"("kv_heads": 2, "zero_key": true, "mask": {"causal": true})",
                                R"("kv_heads": 2, "extra_key": true, "positions": "rope-half")",
                                R"("linear": true, "mask": {"causal": true, "mistake": "diagonal"})",
                                R"("mask": {"causal": true, "mistake": "diagonal"}, "positions": "alibi")",
                                R"("mask": {"causal": true, "mistake": "after-softmax"}, "biases": true)",
                                R"("memory": ["On the mat, there sat the cat"], "positions": "alibi")",
                                R"("softmax": "naive", "temperature": 0.001, "scale": 3)",
                                R"("heads": 16, "temperature": 0.5)",
                                R"("qk_norm": {"kind": "rms"}, "extra_key": true, "sinks": [0, 1, 2, -3])",
                                R"("qk_norm": {"kind": "layer"}, "positions": "rope-half",
                                   "position_settings": {"rope_scaling": "yarn"})",
                                R"("weights": "random", "extra_key": true, "positions": "rope-half",
                                   "latent": {"width": 4, "shared": 2, "query_width": 3})",
                                R"("weights": "random",
                                   "latent": {"width": 4, "query_width": 3, "normed": false})",
                                R"("block": {"kind": "pre-norm"}, "biases": true)",
                                R"("block": {"kind": "sandwich", "norm": "rms-one-plus", "gated": true})",
                                R"("block": {"kind": "post-norm", "norm": "rms", "mlp": false})",
                                R"("block": {"kind": "parallel", "activation": "relu"})",
                                R"("mask": {"causal": true}, "dropout": {"rate": 0.7, "seed": 3})",
                                R"("positions": "windows")",
                                R"("positions": "disentangled")"};
  for (const char* kind : kinds) {
    const std::string heads = std::string(kind).find("\"heads\"") == 0 ? "" : R"("heads": 4, )";
    const std::filesystem::path path = directory_ / "walk.json";
    std::ofstream(path, std::ios::binary)
        << R"({"attnscope": 1, "title": "w", "d_model": 16, )" << heads
        << R"("text": ["The cat sat on the mat, where it slept and slept"], )" << kind << "}";
    robot_.app().open(path);
    wait();
    const std::int64_t keys = robot_.app().shown()->layer().dimensions.keys;
    for (const Cell cell : {Cell{0, 0}, Cell{5, keys - 1}, Cell{10, 1}}) {
      robot_.app().look_at({.head = 1, .cell = cell, .cells = {}});
      walk_through();
    }
  }
  robot_.key(ImGuiKey_M, ImGuiMod_Shift);
  wait();
  walk_through();
}

}  // namespace attnscope
