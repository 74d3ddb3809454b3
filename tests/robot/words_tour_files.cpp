// tests/robot: the parts of the tour that need files: a long sequence, and what cannot be opened or saved.
#include <array>
#include <fstream>
#include <map>

#include "app/state/files_state.hpp"
#include "app/state/focus_state.hpp"
#include "app/state/long_state.hpp"
#include "app/state/signals_state.hpp"
#include "core/files/formats/npy.hpp"
#include "core/files/formats/safetensors.hpp"
#include "tests/robot/words_tour.hpp"

namespace attnscope {

/// A text too long to keep its weights, whole, at a middle zoom and cell by cell.
void WordsTour::long_sequence() {
  part_ = "long sequences";
  std::string text;
  for (int i = 0; i < 2111; ++i) text += " w" + std::to_string(i % 97);
  const std::filesystem::path path = directory_ / "long.txt";
  std::ofstream(path, std::ios::binary) << text;
  robot_.app().open(path);
  robot_.app().view() = ViewState{};
  seen_.clear();
  robot_.settle();
  robot_.app().view().fold.fill(1);
  robot_.frame(2);
  rest_on_everything();
  robot_.click("File");  // names what would be exported
  robot_.frame(3);
  robot_.key(ImGuiKey_Escape);
  robot_.frame(2);
  robot_.key(ImGuiKey_S);  // sharp heads have strong lines of every kind
  for (const char* head : {"Head 0", "Head 4", "Head 5", "Head 1"}) {
    robot_.click(head);
    robot_.settle();
    if (!robot_.has("Strong line 0")) continue;
    robot_.move(robot_.centre("Strong line 0"));
    robot_.frame(2);
  }
  robot_.key(ImGuiKey_Backslash);
  robot_.key(ImGuiKey_S);
  robot_.settle();
  for (const char* side : {"Side: held", "Side: now − held"}) {
    robot_.click(side);
    robot_.settle();
  }
  rest_on_everything();
  robot_.click("Pool: Mean");
  robot_.settle();
  robot_.click("Pool: Max");
  robot_.key(ImGuiKey_Z);
  robot_.settle();
  robot_.key(ImGuiKey_Z);
  robot_.key(ImGuiKey_F4);
  robot_.settle();
  rest_on_everything();
  robot_.key(ImGuiKey_F2);
  std::ofstream(directory_ / "longer.txt", std::ios::binary) << text << text;
  robot_.app().open(directory_ / "longer.txt");
  robot_.settle();
  robot_.click("Side: now − held");
  robot_.settle();
  robot_.key(ImGuiKey_F4);
  robot_.settle();
  robot_.app().hold();
  robot_.settle();
  robot_.key(ImGuiKey_F2);
  robot_.app().release_held();
  robot_.app().open(path);
  robot_.settle();
  robot_.app().view().notices.clear();
  robot_.app().view().fold.fill(1);
  robot_.settle();
  for (const char* label : {"Pool: Mean", "Mask: Causal", "Window more", "Strongest cell in sight"}) {
    robot_.click(label);
    robot_.settle();
    rest_on_everything();
  }
  robot_.app().view().long_view->go_to = "nowhere";
  robot_.click("Next");
  robot_.settle();
  robot_.app().save(directory_ / "whole.csv");
  robot_.frame(2);
  robot_.key(ImGuiKey_Escape);
  robot_.app().view().focus->zoom = 8;
  robot_.settle();
  robot_.key(ImGuiKey_Z);
  robot_.settle();
  robot_.key(ImGuiKey_Z);
  robot_.settle();
  robot_.key(ImGuiKey_T, ImGuiMod_Shift);
  robot_.settle();
  rest_on_everything();
  robot_.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot_.settle();
  rest_on_everything();
  restore();
  robot_.app().open(path);
  robot_.settle();
  for (const ImGuiKey mode : {ImGuiKey_F3, ImGuiKey_F4}) {
    robot_.key(mode);
    robot_.settle();
  }
  robot_.resize(1100, 700);
  robot_.key(ImGuiKey_F2);
  robot_.settle();
  rest_on_everything();
  robot_.click("Inspector drawer");
  robot_.settle();
  rest_on_everything();
  robot_.resize(1280, 800);
  robot_.app().open(file_);
  robot_.app().view() = ViewState{};
  robot_.settle();
  robot_.app().hold();  // what comes after is compared with it
  robot_.settle();
}

void WordsTour::messages() {
  part_ = "messages";
  const auto file = [&](const char* name, std::string_view bytes) {
    std::ofstream(directory_ / name, std::ios::binary) << bytes;
    return directory_ / name;
  };
  const std::filesystem::path bad[] = {
      directory_ / "nothing.json",
      directory_,
      file("empty.txt", ""),
      file("broken.json", "{\"text\": [1, 2"),
      file("list.json", "[1]"),
      file("unknown.json", "{\"attnscope\": 1, \"nonsense\": 2}"),
      file("heads.json", "{\"attnscope\": 1, \"text\": [\"a\"], \"heads\": 0}"),
      file("short.safetensors", "abc"),
      file("short.npy", "abc"),
      file("bytes.txt", "a\xff")};
  for (const std::filesystem::path& path : bad) {
    robot_.app().open(path);
    wait();
  }
  write_npy(directory_ / "lone.npy", Tensor(Shape{2, 2}));
  robot_.app().open(directory_ / "lone.npy");
  wait();
  const Tensor part(Shape{2, 3, 4}), weights(Shape{2, 3, 3}, std::vector<float>(18, 1.0f / 3));
  write_safetensors(directory_ / "dump.safetensors",
                    std::array{NamedTensor{"h.0.q", &part}, NamedTensor{"h.0.k", &part},
                               NamedTensor{"h.0.v", &part}, NamedTensor{"h.1.attn", &weights}});
  robot_.app().open(directory_ / "dump.safetensors");
  robot_.app().view().fold.fill(1);
  robot_.settle();
  rest_on_everything();
  robot_.click("Layer");
  wait();
  robot_.key(ImGuiKey_Escape);
  for (const char* name : {"good.json", "numbers.csv", "no/such/place.json", "what.xyz"}) {
    robot_.app().save(directory_ / name);
    wait();
  }
  robot_.app().save({});
  wait();
  restore();
  file_cards();
}

/// The dialog where there is nothing to show or to be done, and the question before a file is written over.
void WordsTour::file_cards() {
  part_ = "files";
  const auto look = [&](const std::filesystem::path& folder) {
    robot_.app().view().files->dialog.folder = folder;
    robot_.key(ImGuiKey_O, ImGuiMod_Ctrl);
    robot_.settle();
  };
  std::filesystem::create_directories(directory_ / "empty");
  look(directory_ / "empty");
  robot_.click("Show: Tensors");
  robot_.frame(2);
  restore();
  look(directory_);
  robot_.click("Show: Tensors");
  robot_.frame(2);
  rest_on_everything();
  restore();
  std::filesystem::create_directories(directory_ / "pictures");
  std::ofstream(directory_ / "pictures" / "a.png") << "x";
  look(directory_ / "pictures");
  robot_.type("/nowhere/at all");
  robot_.frame(4);
  robot_.key(ImGuiKey_Enter);
  robot_.frame(2);
  restore();
  robot_.app().save(directory_ / "mine.json");
  wait();
  robot_.key(ImGuiKey_S, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot_.settle();
  robot_.key(ImGuiKey_A, ImGuiMod_Ctrl);
  robot_.type("/nowhere/x.png");
  robot_.key(ImGuiKey_Enter);
  robot_.frame(2);
  restore();
  for (const bool changed : {false, true}) {
    if (changed) robot_.app().save(directory_ / "mine.json", true);  // its own from here on
    if (changed) std::ofstream(directory_ / "mine.json") << "of another program";
    if (changed) std::filesystem::last_write_time(directory_ / "mine.json", {});
    robot_.app().save(directory_ / (changed ? "mine.json" : "numbers.csv"));
    robot_.frame(3);
    rest_on_everything();
    robot_.key(ImGuiKey_Escape);
    robot_.frame(2);
  }
  robot_.key(ImGuiKey_C, ImGuiMod_Ctrl);
  wait();
  restore();
}

/// What dumps say, do not say and do not hold.
void WordsTour::dumps() {
  part_ = "dumps";
  const Tensor q(Shape{2, 3, 4}), longer(Shape{2, 5, 4});
  const auto write = [&](const std::string& file, const std::string& stem, const Tensor& queries,
                         const std::map<std::string, std::string>& metadata = {}) {
    const std::filesystem::path path = directory_ / (file + ".safetensors");
    const Tensor& others = queries.shape().rank() == 4 ? queries : q;
    write_safetensors(path,
                      std::array{NamedTensor{stem + "q", &queries}, NamedTensor{stem + "k", &others},
                                 NamedTensor{stem + "v", &others}},
                      metadata);
    return path;
  };
  const auto look = [&](const std::filesystem::path& path, bool at_everything) {
    robot_.app().open(path);
    robot_.app().view().mode = Mode::Explore;
    robot_.settle();
    robot_.app().view().fold.fill(1);
    robot_.frame(2);
    if (at_everything) rest_on_everything();
  };
  look(write("gpt2", "h.0.", q), true);
  robot_.retype("##Labels", "one");
  robot_.retype("##Labels", "one two");
  robot_.retype("##Labels", "");
  robot_.key(ImGuiKey_Escape);
  robot_.app().view().files->asks = false;
  robot_.settle();
  robot_.move(robot_.centre("Guessed"));
  robot_.frame(2);
  robot_.key(ImGuiKey_C);
  robot_.settle();
  look(write("bert", "h.0.", q), false);
  look(write("d", "encoder.0.", q), false);
  look(write("e", "decoder.0.", q), false);
  look(write("f", "encoder_attn.0.", q), false);
  look(write("g", "crossattention.0.", q), false);
  look(write("h", "transformer.h.0.", q), false);
  look(write("i", "layers.0.self_attn.", q), false);
  look(write("j", "blocks.0.hook_", Tensor(Shape{1, 3, 2, 4})), false);
  look(write("llama", "blocks.0.hook_", Tensor(Shape{1, 3, 2, 4})), false);
  look(write("k", "a.", longer), false);
  look(write("l", "a.", q, {{"rope_base", "100"}, {"causal", "false"}}), false);
  look(write("m", "a.", q, {{"rope_interleaved", "true"}, {"causal", "true"}}), false);
  look(write("n", "a.", q), false);
  look(write("gpt", "a.", q, {{"positions_applied", "true"}}), false);
  look(write("o", "a.", q, {{"positions_applied", "true"}}), false);
  robot_.key(ImGuiKey_C);
  robot_.settle();
  write_safetensors(directory_ / "qk.safetensors",
                    std::array{NamedTensor{"h.0.q", &q}, NamedTensor{"h.0.k", &q}, NamedTensor{"h.1.q", &q},
                               NamedTensor{"h.1.k", &q}});
  look(directory_ / "qk.safetensors", true);
  robot_.click("Layer");
  robot_.frame(2);
  robot_.key(ImGuiKey_Escape);
  robot_.app().view().signals->slots[0] = PlotKind::GradientNorms;
  robot_.frame(2);
  const Tensor weights(Shape{1, 2, 2}, {1, 0, 0.5f, 0.5f});
  write_safetensors(directory_ / "weights.safetensors", std::array{NamedTensor{"h.0.attn", &weights}});
  look(directory_ / "weights.safetensors", true);
  robot_.key(ImGuiKey_S);
  robot_.settle();
  for (const char* page : {"Inspector: Row", "Inspector: Neurons", "Inspector: Vectors", "Inspector: Cell"}) {
    robot_.click(page);
    robot_.settle();
    rest_on_everything();
  }
  robot_.app().look_at({.head = 0, .cell = Cell{0, 1}, .cells = {}});
  robot_.app().view().more.fill(true);
  robot_.settle();
  rest_on_everything();
  robot_.app().look_at({.head = 0, .cell = Cell{1, 1}, .cells = {}});
  robot_.type_number("Temperature", "2");
  robot_.app().hold();
  robot_.settle();
  for (const ImGuiKey mode : {ImGuiKey_F3, ImGuiKey_F4, ImGuiKey_F2}) {
    robot_.key(mode);
    robot_.settle();
  }
  look(directory_ / "qk.safetensors", false);
  robot_.key(ImGuiKey_F4);
  robot_.settle();
  robot_.key(ImGuiKey_F2);
  robot_.app().release_held();
  std::ofstream(directory_ / "small.txt") << "A text";
  look(directory_ / "small.txt", false);
  restore();
}

}  // namespace attnscope
