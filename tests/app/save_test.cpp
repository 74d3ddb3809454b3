// Saving from the window: a saved session opens as it was, and a failure loses nothing.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sys/resource.h>

#include <catch2/catch_test_macros.hpp>

#include "app/files_robot.hpp"
#include "core/files/document/open.hpp"
#include "core/files/formats/npy.hpp"
#include "core/files/formats/safetensors.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::save_test {

using namespace attnscope::test;

TEST_CASE("a document is saved under a path and again by its key") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl);  // an example is never overwritten
  robot.settle();
  CHECK(is_card_open());
  CHECK(robot.document().layer().scaling == Scaling{});  // S alone would switch the scale
  name_it(robot, (directory / "first.json").native());
  CHECK_FALSE(is_card_open());
  CHECK(std::filesystem::exists(directory / "first.json"));
  robot.key(ImGuiKey_P);
  robot.settle();
  save_as(robot, (directory / "mine").native());
  CHECK(robot.app().message().starts_with("Saved as"));
  REQUIRE(std::filesystem::exists(directory / "mine.json"));
  CHECK(to_json(open_document(directory / "mine.json")) == to_json(robot.document()));

  robot.key(ImGuiKey_C);
  robot.settle();
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl);
  robot.settle();
  const Document saved = open_document(directory / "mine.json");
  CHECK(saved.layer().masking.causal == robot.document().layer().masking.causal);
}

TEST_CASE("what undo brings back is saved into its own file, not into that of what was open") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  save_as(robot, (directory / "first.json").native());
  robot.app().files().opening.open(std::string(ATTNSCOPE_ASSETS) + "/examples/2-three-tokens.json");
  robot.settle();
  save_as(robot, (directory / "second.json").native());
  const std::string second = to_json(open_document(directory / "second.json"));
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.app().window_title() == "first.json — AttnScope");  // as the file is named
  robot.key(ImGuiKey_P);
  robot.settle();
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl);
  robot.settle();
  CHECK_FALSE(is_card_open());
  CHECK(to_json(open_document(directory / "second.json")) == second);
  CHECK(to_json(open_document(directory / "first.json")) == to_json(robot.document()));
  CHECK(robot.document().layer().masking.padding);

  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.app().window_title() == "first.json* — AttnScope");
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.settle();
  CHECK(robot.app().window_title() == "first.json — AttnScope");
}

TEST_CASE("what is swapped with what is held is saved into its own file") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  save_as(robot, (directory / "first.json").native());
  robot.key(ImGuiKey_Backslash);
  robot.settle();
  robot.app().files().opening.open(std::string(ATTNSCOPE_ASSETS) + "/examples/2-three-tokens.json");
  robot.settle();
  save_as(robot, (directory / "second.json").native());
  const std::string second = to_json(open_document(directory / "second.json"));
  for (const char* name : {"first", "second", "first"}) {
    robot.key(ImGuiKey_X);
    robot.settle();
    CHECK(robot.app().window_title() == std::string(name) + ".json — AttnScope");
  }
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(to_json(open_document(directory / "second.json")) == second);
  CHECK(to_json(open_document(directory / "first.json")) == to_json(robot.document()));
}

TEST_CASE("undo from a saved file to an example leaves the file alone") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  const std::string example = robot.app().window_title();
  std::filesystem::copy_file(std::string(ATTNSCOPE_ASSETS) + "/examples/2-three-tokens.json",
                             directory / "mine.json");
  robot.app().files().opening.open(directory / "mine.json");
  robot.settle();
  REQUIRE(robot.app().window_title() == "mine.json — AttnScope");
  const Document mine = open_document(directory / "mine.json");
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(robot.app().window_title() == example);
  robot.key(ImGuiKey_S, ImGuiMod_Ctrl);
  robot.settle();
  CHECK(is_card_open());  // it asks where
  robot.key(ImGuiKey_Escape);
  robot.frame(2);
  CHECK(to_json(open_document(directory / "mine.json")) == to_json(mine));
  robot.key(ImGuiKey_Z, ImGuiMod_Ctrl | ImGuiMod_Shift);
  robot.settle();
  CHECK(robot.app().window_title() == "mine.json — AttnScope");
}

TEST_CASE("what cannot be saved is told and stays") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  const Document before = robot.document();
  save_as(robot, (directory / "no/such/folder/x.json").native());
  CHECK(dialog_of(robot).trouble.find("There is no folder") == 0);
  CHECK(dialog_of(robot).trouble.find("no/such/folder") != std::string::npos);
  CHECK(is_card_open());  // another name can be given at once
  robot.key(ImGuiKey_Escape);
  robot.frame(2);
  save_as(robot, (directory / "picture.bmp").native());
  CHECK(robot.app().message().find(".npy, .safetensors, .png or .svg") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(directory / "picture.bmp"));
  save_as(robot, directory.path().native() + "/");  // a folder is opened in the dialog
  CHECK(is_card_open());
  CHECK(dialog_of(robot).folder == directory.path());
  robot.key(ImGuiKey_Escape);
  robot.frame(2);
  robot.app().files().saving.save(directory.path().native() + "/");
  CHECK(robot.app().message().find("Cannot write") != std::string::npos);
  CHECK(directory.entries() == 0);
  CHECK(robot.document() == before);
}

TEST_CASE("what is looked at is exported by the ending of the name") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  const auto weights = shown(robot).trace[Stage::Softmax]->matrix(0, robot.app().selection().head);
  save_as(robot, (directory / "weights.npy").native());
  const Tensor back = read_npy<float>(directory / "weights.npy");
  REQUIRE(back.shape() == Shape{6, 6});
  CHECK(back.matrix() == weights);

  save_as(robot, (directory / "weights.csv").native());
  const std::string csv = bytes_of(directory / "weights.csv");
  CHECK(csv.starts_with(",The,cat,sat,on,the,mat\r\nThe,1,0,0,0,0,0\r\ncat,"));
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 7);

  choose(robot, "Other stages", "Y output");
  save_as(robot, (directory / "output.npy").native());
  CHECK(read_npy<float>(directory / "output.npy").shape() == Shape{6, 64});

  save_as(robot, (directory / "all.safetensors").native());
  const SafetensorsFile file(directory / "all.safetensors");
  REQUIRE(file.find("position") != nullptr);
  CHECK(to_tensor<float>(*file.find("weights"), file.path()) == *shown(robot).trace[Stage::Softmax]);
  CHECK(file.find("rotated_queries") != nullptr);
  CHECK(file.find("linear_weights") == nullptr);
}

TEST_CASE("a full disk loses neither the session nor the file that was there") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.app().files().saving.save(directory / "mine.json");
  const std::string good = bytes_of(directory / "mine.json");
  robot.key(ImGuiKey_S);
  robot.settle();
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tiny{64, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tiny);
  for (const char* name : {"mine.json", "new.json", "new.png", "new.svg", "new.csv", "new.safetensors"}) {
    robot.app().files().saving.save(directory / name);
    INFO(name);
    CHECK(is_sentence(robot.app().message()));
    CHECK(robot.app().message().find(name) != std::string::npos);
    CHECK_FALSE(robot.app().message().starts_with("Saved"));
  }
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(bytes_of(directory / "mine.json") == good);
  CHECK(directory.entries() == 1);
  robot.app().files().saving.save(directory / "mine.json");
  CHECK(open_document(directory / "mine.json").layer().scaling.kind == Scaling::Kind::Off);
}

TEST_CASE("labels with commas and quotes survive a table") {
  const TemporaryDirectory directory;
  Robot robot({.width = 1600, .height = 1000});
  robot.settle();
  robot.retype("##Text", "a, \"b\"");
  save_as(robot, (directory / "quoted.csv").native());
  const std::string csv = bytes_of(directory / "quoted.csv");
  CHECK(csv.starts_with(",a,\",\",\"\"\"\",b,\"\"\"\"\r\n"));
}

}  // namespace attnscope::save_test
