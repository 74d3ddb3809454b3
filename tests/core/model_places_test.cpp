// Models that are on the disk already: found in artificial caches of four programs among other files.
#include "core/models/opened/model_places.hpp"

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include "core/models/opened/gguf_head.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::model_places_test {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string number(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}
std::string text(const std::string& value) { return number(value.size(), 8) + value; }

/// The first bytes of a file, with an array of `words` strings before the wanted entries.
std::string gguf(const std::string& architecture, int file_type, int words = 0) {
  std::string bytes = "GGUF" + number(3, 4) + number(0, 8) + number(3, 8);
  bytes +=
      text("general.languages") + number(9, 4) + number(8, 4) + number(static_cast<std::uint64_t>(words), 8);
  for (int i = 0; i < words; ++i) bytes += text("word");
  bytes += text("general.architecture") + number(8, 4) + text(architecture);
  bytes += text("general.file_type") + number(4, 4) + number(static_cast<std::uint64_t>(file_type), 4);
  return bytes;
}

std::string described(const ModelPlace& place) {
  return fmt::format("{}: {} | {}{} | {} | {}", name_of(place.keeper), place.name, place.family,
                     place.is_known ? "" : " (not known)", place.precision, place.bytes);
}
std::vector<std::string> described(const std::vector<ModelPlace>& places) {
  std::vector<std::string> all;
  for (const ModelPlace& place : places) all.push_back(described(place));
  return all;
}

const std::string hash(64, 'a');

/// Each program's folder below one root.
ModelRoots made_up(const fs::path& root) {
  const fs::path hub = root / "hub", snapshot = hub / "models--Org--Tiny-LM/snapshots" / std::string(40, '1');
  write(hub / "models--Org--Tiny-LM/blobs/weights", std::string(1000, 'w'));
  write(snapshot / "config.json", R"({"model_type": "llama", "torch_dtype": "bfloat16"})");
  fs::create_symlink("../../blobs/weights", snapshot / "model.safetensors");
  write(hub / "models--odd/snapshots/main/config.json",
        R"({"model_type": "mamba\u0007", "dtype": "float16"})");
  write(hub / "models--odd/snapshots/main/model.safetensors", "12345");
  write(hub / "models--broken/snapshots/main/config.json", "{");
  write(hub / "models--broken/snapshots/main/model.safetensors", "12345");
  write(hub / "models--empty/snapshots/main/config.json", R"({"model_type": "gpt2"})");  // no weights
  write(hub / "models--Org--Some-GGUF/snapshots/main/some-Q4_K_M.gguf", gguf("llama", 15));
  write(hub / "datasets--Org--text/snapshots/main/config.json", "{}");
  const fs::path ollama = root / "ollama", library = ollama / "manifests/registry.ollama.ai/library";
  const std::string manifest =
      R"({"layers": [{"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:00"},
          {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:)" +
      hash + "\"}]}";
  write(ollama / "blobs" / ("sha256-" + hash), gguf("qwen2", 2, 5));
  write(library / "qwen/0.5b", manifest);
  write(library / "bad/latest", R"({"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest":
      "sha256:../../../../etc/passwd"}, 7, {"mediaType": 1}]})");
  write(library / "worse/latest", R"({"layers": 3})");
  write(root / "studio/publisher/repository/model-Q8_0.gguf", gguf("gemma2", 7));
  write(root / "studio/publisher/repository/large-00001-of-00002.gguf", gguf("wavenet", 32));
  write(root / "studio/publisher/repository/large-00002-of-00002.gguf", gguf("wavenet", 32));
  fs::create_symlink(root / "studio", root / "studio/publisher/circle");
  fs::create_symlink("nowhere", root / "studio/publisher/dangling.gguf");
  write(root / "llama.cpp/Org_Other_other.gguf", gguf("gpt2", 99));
  write(root / "llama.cpp/text.gguf", "GGUF, not");
  fs::create_symlink(root / "studio/publisher/repository/model-Q8_0.gguf", root / "llama.cpp/again.gguf");
  return {.shipped = {},
          .hugging_face = hub,
          .ollama = {ollama, root / "no such folder"},
          .lm_studio = {root / "studio", ""},
          .llama_cpp = root / "llama.cpp"};
}

}  // namespace

TEST_CASE("models that other programs keep are found, each once, with what their files tell", "[models]") {
  const test::TemporaryDirectory directory;
  const std::vector<ModelPlace> found = find_models(made_up(directory.path()));
  CHECK(described(found) ==
        std::vector<std::string>{
            "Hugging Face: Tiny-LM | Llama | bfloat16 | 1000",
            "Hugging Face: odd | mamba\\u{7} (not known) | float16 | 5",
            fmt::format("Hugging Face: some-Q4_K_M | Llama | Q4_K_M | {}", gguf("llama", 15).size()),
            fmt::format("Ollama: qwen:0.5b | Qwen2 | Q4_0 | {}", gguf("qwen2", 2, 5).size()),
            fmt::format("LM Studio: large-00001-of-00002 | wavenet (not known) | BF16 | {}",
                        gguf("wavenet", 32).size()),
            fmt::format("LM Studio: model-Q8_0 | Gemma 2 | Q8_0 | {}", gguf("gemma2", 7).size()),
            fmt::format("llama.cpp: Org_Other_other | GPT-2 |  | {}", gguf("gpt2", 99).size()),
        });
  CHECK(found[3].path == directory.path() / "ollama/blobs" / ("sha256-" + hash));
}

TEST_CASE("a search for models ends at its limits and on a stop", "[models]") {
  const test::TemporaryDirectory directory;
  const ModelRoots roots = made_up(directory.path());
  CHECK(find_models(roots, {.entries = 0}).empty());
  CHECK(find_models(roots, {.time = std::chrono::milliseconds(-1)}).empty());
  CHECK(find_models(roots, {.entries = 12}).size() < find_models(roots).size());
  std::stop_source stop;
  stop.request_stop();
  CHECK(find_models(roots, {}, stop.get_token()).empty());
  CHECK(find_models({}).empty());
}

TEST_CASE("the folders are those that the programs choose themselves", "[models]") {
  using Variables = std::map<std::string, std::string>;
  const auto roots = [](const Variables& variables) {
    return model_roots([&](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  const ModelRoots usual = roots({{"HOME", "/home/a"}});
  CHECK(usual.hugging_face == "/home/a/.cache/huggingface/hub");
  CHECK(usual.ollama[0] == "/home/a/.ollama/models");
  CHECK(usual.lm_studio[0] == "/home/a/.lmstudio/models");
  CHECK(usual.llama_cpp == "/home/a/.cache/llama.cpp");
  CHECK(roots({{"HOME", "/home/a"}, {"XDG_CACHE_HOME", "/c"}}).hugging_face == "/c/huggingface/hub");
  CHECK(roots({{"HF_HOME", "/hf"}}).hugging_face == "/hf/hub");
  CHECK(roots({{"HF_HOME", "/hf"}, {"HF_HUB_CACHE", "/hub"}}).hugging_face == "/hub");
  CHECK(roots({{"HOME", "/h"}, {"OLLAMA_MODELS", "/o"}}).ollama == std::vector<fs::path>{"/o"});
  CHECK(roots({{"LLAMA_CACHE", "/l"}}).llama_cpp == "/l");
  CHECK(roots({}).hugging_face.empty());
}

TEST_CASE("the first bytes of a GGUF file are not believed", "[models]") {
  const test::TemporaryDirectory directory;
  const fs::path file = directory / "a.gguf";
  const std::string good = gguf("llama", 15, 3);
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    write(file, good.substr(0, cut));
    const auto head = read_gguf_head(file);
    if (head) CHECK(head->architecture == "llama");
  }
  write(file, good);
  CHECK(read_gguf_head(file)->precision == "Q4_K_M");
  const std::string start = "GGUF" + number(3, 4) + number(0, 8) + number(1, 8);
  for (const std::string& hostile :
       {start + number(~0ull, 8) + "x", start + text("k") + number(9, 4) + number(4, 4) + number(~0ull, 8),
        start + text("k") + number(9, 4) + number(8, 4) + number(~0ull, 8), start + text("k") + number(77, 4),
        start + text("k") + number(9, 4) + number(9, 4) + number(1, 8)}) {
    write(file, hostile);
    CHECK_FALSE(read_gguf_head(file));
  }
  CHECK_FALSE(read_gguf_head(directory / "none"));
  CHECK_FALSE(read_gguf_head(directory.path()));
}

}  // namespace attnscope::model_places_test
