// `attnscope run`, `tokenize` and `model`, run as programs: on a model beside the checkout, and on one that
// the test writes.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/files/formats/safetensors.hpp"
#include "support/letters_gpt.hpp"
#include "support/program.hpp"
#include "support/sanitizers.hpp"
#include "support/small_folders.hpp"

namespace attnscope::cli_models_test {
namespace {

using namespace attnscope::test::commands;
namespace fs = std::filesystem;

const fs::path models = fs::path(ATTNSCOPE_SHARED) / "vectors/tiny_models";

Tensor read(const fs::path& path, const std::string& name) {
  const SafetensorsFile file(path);
  INFO("tensor " << name);
  const TensorEntry* entry = file.find(name);
  REQUIRE(entry != nullptr);
  return to_tensor<float>(*entry, path);
}

double distance(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  double worst = 0;
  for (std::int64_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, static_cast<double>(std::abs(a.data()[i] - b.data()[i])));
  return worst;
}

}  // namespace

TEST_CASE("run writes what transformers returns for a text", "[cli][models]") {
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  const TemporaryDirectory directory;
  for (const std::string name : {"gpt2", "bert", "qwen2"}) {
    CAPTURE(name);
    const fs::path folder = models / name, golden = folder / "goldens.safetensors",
                   out = directory / "out.safetensors";
    const Outcome outcome =
        run(directory, fmt::format("run '{}' --text 'The cat sat on the mat because it was tired.' "
                                   "-o out.safetensors --emit entropy,received",
                                   folder.native()));
    REQUIRE(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
    CHECK(SafetensorsFile(out).find("input_ids")->dtype == DType::I64);
    CHECK(distance(read(out, "input_ids"), read(golden, "single.input_ids")) == 0);
    for (int i = 0; i < 2; ++i) {
      const Tensor weights = read(out, fmt::format("attentions.{}", i));
      CHECK(distance(weights, read(golden, fmt::format("single.attentions.{}", i))) < 5e-6);
      const Tensor entropy = read(out, fmt::format("entropy.{}", i)),
                   received = read(out, fmt::format("received.{}", i));
      CHECK(entropy.shape() == Shape{1, 4, weights.shape()[2]});
      for (std::int64_t h = 0; h < 4; ++h)
        for (std::int64_t j = 0; j < weights.shape()[3]; ++j)
          CHECK(std::abs(received.matrix(0)(h, j) - weights.matrix(0, h).col(j).sum()) < 1e-5f);
    }
    CHECK(distance(read(out, "hidden_states.2"), read(golden, "single.hidden_states.2")) < 1e-3);
  }
}

TEST_CASE("run takes transformers' batches", "[cli][models]") {
  if (!exists(models)) SKIP("no folder shared/vectors/tiny_models");
  const TemporaryDirectory directory;
  const fs::path golden = models / "t5/goldens.safetensors", out = directory / "out.safetensors";
  std::vector<std::pair<std::string, Tensor>> inputs;
  for (const char* name : {"input_ids", "attention_mask", "decoder_input_ids"})
    inputs.emplace_back(name, read(golden, fmt::format("batch.{}", name)));
  std::vector<NamedTensor> named;
  for (const auto& [name, tensor] : inputs) named.push_back({name, &tensor});
  write_safetensors(directory / "in.safetensors", named);
  const Outcome outcome = run(
      directory, fmt::format("run '{}' --batch in.safetensors -o out.safetensors", (models / "t5").native()));
  REQUIRE(outcome.exit_code == 0);
  for (const char* name : {"encoder_attentions.1", "decoder_attentions.1", "cross_attentions.0"})
    CHECK(distance(read(out, name), read(golden, fmt::format("batch.{}", name))) < 1e-5);
  CHECK(distance(read(out, "logits"), read(golden, "batch.logits")) < 1e-3);
}

TEST_CASE("a tensor of a batch that would change the numbers and is not read is refused", "[cli][models]") {
  const TemporaryDirectory directory;
  write_bytes_gpt(directory / "m");
  const Tensor zeros(Shape{1, 3});
  Tensor ones(Shape{1, 3});
  std::fill_n(ones.data(), ones.size(), 1.0f);
  const auto with = [&](const std::string& name, const Tensor& more) {
    write_safetensors(directory / "in.safetensors",
                      std::vector<NamedTensor>{{"input_ids", &zeros}, {name, &more}});
    return run(directory, "run m --batch in.safetensors -o out.safetensors");
  };
  CHECK(with("labels", ones).exit_code == 0);
  CHECK(with("decoder_attention_mask", ones).exit_code == 0);
  for (const std::string name : {"decoder_attention_mask", "token_type_ids", "inputs_embeds"}) {
    CAPTURE(name);
    const Outcome outcome = with(name, zeros);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.err.find(name + ": ") != std::string::npos);
  }
}

TEST_CASE("run writes TransformerLens' names, which say the same as transformers'", "[cli][models]") {
  const TemporaryDirectory directory;
  write_bytes_gpt(directory / "m");
  REQUIRE(run(directory, "run m --text abcab -o a.safetensors --emit q").exit_code == 0);
  REQUIRE(run(directory, "run m --text abcab -o b.safetensors --names transformer-lens").exit_code == 0);
  const fs::path a = directory / "a.safetensors", b = directory / "b.safetensors";
  CHECK(distance(read(b, "blocks.0.attn.hook_pattern"), read(a, "attentions.0")) == 0);
  CHECK(distance(read(b, "blocks.0.hook_resid_pre"), read(a, "hidden_states.0")) == 0);
  CHECK(distance(read(b, "ln_final.hook_normalized"), read(a, "hidden_states.1")) == 0);
  CHECK(distance(read(b, "logits"), read(a, "logits")) == 0);
  CHECK(distance(read(b, "input_ids"), read(a, "input_ids")) == 0);
  const Tensor by_head = read(a, "q.0"), by_row = read(b, "blocks.0.attn.hook_q");
  REQUIRE(by_row.shape() == Shape{1, 3, 2, 4});
  for (std::int64_t h = 0; h < 2; ++h)
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t c = 0; c < 4; ++c)
        CHECK(by_row.data()[(i * 2 + h) * 4 + c] == by_head.data()[(h * 3 + i) * 4 + c]);
  CHECK(SafetensorsFile(b).find("hidden_states.0") == nullptr);
  CHECK(run(directory, "run m --text abcab -o c.safetensors --names transformers-lens").exit_code == 2);
  CHECK(run(directory, "run m --text a -o c.safetensors --names transformer-lens --emit q").exit_code == 2);
  if (exists(models))
    CHECK_THAT(run(directory, fmt::format("run '{}' --text a -o c.safetensors --names transformer-lens",
                                          (models / "bert").native()))
                   .err,
               ContainsSubstring("decoders alone"));
  CHECK_FALSE(exists(directory / "c.safetensors"));
}

TEST_CASE("a model from two files alone runs, speaks, and tells what it is", "[cli][models]") {
  const TemporaryDirectory directory;
  write_bytes_gpt(directory / "m");
  REQUIRE(run(directory, "run m --text abcab -o a.safetensors").exit_code == 0);
  const Tensor ids = read(directory / "a.safetensors", "input_ids");
  CHECK(std::vector<float>(ids.values().begin(), ids.values().end()) == std::vector<float>{3, 2, 3});
  REQUIRE(
      run(directory, "run m --ids 3,2,3 -o b.safetensors --generate 3 --layers 0 --emit q,k,v").exit_code ==
      0);
  const Tensor more = read(directory / "b.safetensors", "input_ids"),
               first = read(directory / "a.safetensors", "logits");
  REQUIRE(more.shape()[1] >= 4);
  Eigen::Index likeliest = 0;
  first.matrix(0).row(2).maxCoeff(&likeliest);
  CHECK(more.matrix()(0, 3) == static_cast<float>(likeliest));
  CHECK(read(directory / "b.safetensors", "k.0").shape() == Shape{1, 2, more.shape()[1], 4});
  const Outcome facts = run(directory, "model m");
  CHECK(facts.exit_code == 0);
  CHECK_THAT(facts.out, ContainsSubstring("GPT-2 (GPT2LMHeadModel)") &&
                            ContainsSubstring("1 layer, 2 heads of 4") &&
                            ContainsSubstring("16 tensors used") && ContainsSubstring("0 tensors ignored"));
  std::ofstream(directory / "lines") << "abc\nb\n";
  const std::string command =
      fmt::format("cd '{}' && '{}' tokenize m <lines >told", directory.path().native(), test::program_path());
  REQUIRE(std::system(command.c_str()) == 0);
  std::ifstream told(directory / "told");
  std::string line;
  REQUIRE(std::getline(told, line));
  CHECK(line == R"({"ids":[3,2],"tokens":["ab","c"],"offsets":[[0,2],[2,3]]})");
}

TEST_CASE("run and tokenize take a chat", "[cli][models][chat]") {
  const TemporaryDirectory directory;
  write_bytes_gpt(directory / "m");
  check_refusal(directory, "tokenize m --chat-user ab", 1, "The model has no chat template");
  directory.write("m/tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true,
      "bos_token": "<|endoftext|>", "chat_template": [{"name": "default", "template":
      "{{ bos_token }}{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('No system') }}{% endif %}{{ m.content | trim }}{% endfor %}{% if add_generation_prompt %}c{% endif %}"},
      {"name": "dated", "template": "{{ messages[0].content }}{% if strftime_now('%d') == '03' %}bb{% endif %}"}]})");
  const auto ids = [&](const std::string& arguments) {
    const Outcome outcome = run(directory, "tokenize m " + arguments);
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return nlohmann::json::parse(outcome.out)["ids"].get<std::vector<int>>();
  };
  // The template begins with the beginning-of-text token: it is there once.
  CHECK(
      run(directory, "tokenize m --chat-user ab").out ==
      R"({"text":"<|endoftext|>abc","ids":[4,3,2],"tokens":["<|endoftext|>","ab","c"],"offsets":[[0,13],[13,15],[15,16]]})"
      "\n");
  // One of the model's files stands for its folder.
  CHECK(run(directory, "tokenize m/config.json --chat-user ab").out ==
        run(directory, "tokenize m --chat-user ab").out);
  CHECK(ids("--chat-user ab --no-generation-prompt") == std::vector{4, 3});
  directory.write("chat.json",
                  R"([{"role": "user", "content": " a"}, {"role": "assistant", "content": "c"}])");
  CHECK(ids("--chat chat.json") == std::vector{4, 0, 2, 2});
  const Outcome dated =
      run(directory, "tokenize m --chat-user a --chat-template dated --chat-date 2024-02-03");
  CHECK_THAT(dated.out, ContainsSubstring(R"("ids":[3,1])"));
  CHECK(dated.err == "attnscope: The chat template puts a date into the text; it was told 2024-02-03.\n");
  REQUIRE(run(directory, "run m --chat chat.json -o o.safetensors").exit_code == 0);
  const Tensor ran = read(directory / "o.safetensors", "input_ids");
  CHECK(std::vector<float>(ran.values().begin(), ran.values().end()) == std::vector<float>{4, 0, 2, 2});

  check_refusal(directory, "tokenize m --chat-user ab --chat-template rag", 1,
                "it has \"default\", \"dated\"");
  check_refusal(directory, "tokenize m --chat-user ab --chat-date 2024-02-30", 2, "a day like");
  check_refusal(directory, "run m --text ab --chat-template dated -o o.safetensors", 2,
                "--chat or --chat-user");
  check_refusal(directory, "run m --text ab --chat-user ab -o o.safetensors", 2, "Exactly 1 option");
  check_refusal(directory, "tokenize m --json --chat-user ab", 2, "at most 1 option");
  check_refusal(directory, "tokenize m --chat none.json", 1, "none.json");
  directory.write("chat.json", R"([{"role": "system", "content": "a"}])");
  check_refusal(directory, "run m --chat chat.json -o o.safetensors", 1,
                "tokenizer_config.json: the chat template refuses this chat: No system.");
}

TEST_CASE("tokens of a line of megabytes are written as they come", "[cli][models]") {
  if (test::under_address_sanitizer() || test::under_thread_sanitizer())
    SKIP("they take memory of their own");
  const TemporaryDirectory directory;
  write_bytes_gpt(directory / "m");
  std::string words;
  for (int i = 0; i < 700'000; ++i) words += "abc";
  directory.write("line", words + "\n");
  // In kilobytes. Collecting all output in memory would take more than 600,000.
  const std::string command = fmt::format("cd '{}' && ulimit -v 500000 && '{}' tokenize m <line >told",
                                          directory.path().native(), test::program_path());
  REQUIRE(std::system(command.c_str()) == 0);
  const std::string told = test::bytes_of(directory / "told");
  CHECK(told.starts_with(R"({"ids":[3,2,3,2,)"));
  CHECK(told.ends_with("[2099997,2099999],[2099999,2100000]]}\n"));
  CHECK(std::ranges::count(told, '[') == 3 + 1'400'000);
}

TEST_CASE("run writes what the logit lens sees", "[cli][models]") {
  const TemporaryDirectory directory;
  write_bytes_gpt(directory / "m");
  REQUIRE(run(directory, "run m --ids 3,2,3,1 -o o.safetensors --emit lens").exit_code == 0);
  const fs::path out = directory / "o.safetensors";
  CHECK(SafetensorsFile(out).find("lens_ids.1")->dtype == DType::I64);
  const Tensor logits = read(out, "logits"), ids = read(out, "lens_ids.1"), logs = read(out, "lens.1");
  REQUIRE(logs.shape() == Shape{1, 4, 5});  // ten, or as many tokens as there are
  for (const char* name : {"lens.0", "lens_ids.0", "lens_middle.0", "lens_middle_ids.0"})
    CHECK(read(out, name).shape() == logs.shape());
  for (Eigen::Index i = 0; i < 4; ++i) {
    double sum = 0;
    for (Eigen::Index k = 0; k < 5; ++k) sum += std::exp(static_cast<double>(logits.matrix(0)(i, k)));
    for (Eigen::Index k = 0; k < 5; ++k) {
      // After the last block the lens is the prediction itself, the likeliest token first.
      const double logit = static_cast<double>(logits.matrix(0)(i, std::lround(ids.matrix(0)(i, k))));
      CHECK(std::abs(static_cast<double>(logs.matrix(0)(i, k)) - (logit - std::log(sum))) < 1e-5);
      if (k > 0) CHECK(logs.matrix(0)(i, k) <= logs.matrix(0)(i, k - 1));
    }
  }
}

TEST_CASE("run draws the same tokens from the same seed", "[cli][models]") {
  const TemporaryDirectory directory;
  write_bytes_gpt(directory / "m");
  const auto drawn = [&](const std::string& options) {
    REQUIRE(run(directory, "run m --ids 3,2 -o o.safetensors --generate 12 " + options).exit_code == 0);
    const Tensor ids = read(directory / "o.safetensors", "input_ids");
    return std::vector<float>(ids.values().begin(), ids.values().end());
  };
  const auto once = drawn("--temperature 3 --seed 5");
  CHECK(once == drawn("--temperature 3 --seed 5"));
  CHECK(drawn("") == drawn("--temperature 0"));
  CHECK(drawn("") == drawn("--temperature 3 --top-k 1"));
  CHECK(drawn("") == drawn("--temperature 3 --top-p 0.01"));
  bool differs = false;
  for (int seed = 6; seed < 12; ++seed)
    differs |= drawn(fmt::format("--temperature 3 --seed {}", seed)) != once;
  CHECK(differs);
}

TEST_CASE("run writes where an answer begins and ends, as transformers names it", "[cli][models]") {
  const TemporaryDirectory directory;
  const std::string model = (fs::path(ATTNSCOPE_TESTS) / "goldens/models/bert_answer").native();
  REQUIRE(run(directory, fmt::format("run '{}' --ids 5,6,7 -o o.safetensors", model)).exit_code == 0);
  for (const char* name : {"start_logits", "end_logits"})
    CHECK(read(directory / "o.safetensors", name).shape() == Shape{1, 3});
  CHECK_THAT(run(directory, fmt::format("model '{}'", model)).out,
             ContainsSubstring("where an answer begins"));
}

TEST_CASE("model says in how many layers positions are rotary", "[cli][models]") {
  const TemporaryDirectory directory;
  const auto facts = [&](const char* model) {
    return run(directory, fmt::format("model '{}/goldens/models/{}'", ATTNSCOPE_TESTS, model)).out;
  };
  CHECK_THAT(facts("smollm3"), ContainsSubstring("positions: rotary in 1 of 2 layers; MLP"));
  CHECK_THAT(facts("qwen3"), ContainsSubstring("positions: rotary; MLP"));
}

TEST_CASE("run and atlas say which characters of a text have no token", "[cli][models]") {
  const TemporaryDirectory directory;
  write_bytes_gpt(directory / "m");
  for (const char* command : {"run m -o o.safetensors --text ", "atlas m -o o.csv --text "}) {
    CHECK(run(directory, command + std::string("abc")).err.empty());
    const Outcome outcome = run(directory, command + std::string("abZc"));
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err == "attnscope: The tokenizer has no token for \"Z\": the model does not see it.\n");
  }
}

TEST_CASE("run takes a picture", "[cli][models]") {
  if (!fs::exists(models)) SKIP("no folder shared/vectors/tiny_models");
  const TemporaryDirectory directory;
  REQUIRE(run(directory, "render -o p.png --size 64x48").exit_code == 0);
  const std::string vit = fmt::format("'{}'", (models / "vit").native());
  const Outcome done = run(directory, "run " + vit + " --image p.png -o o.safetensors");
  INFO(done.err);
  REQUIRE(done.exit_code == 0);
  const Tensor weights = read(directory / "o.safetensors", "attentions.0");
  for (std::int64_t row = 0; row < weights.shape()[2]; ++row)
    CHECK(std::abs(weights.matrix(0, 0).row(row).sum() - 1) < 1e-5);
  CHECK(done.err.empty());
  write_grey_of_16_bits(directory / "grey.png");
  const Outcome grey = run(directory, "run " + vit + " --image grey.png -o o.safetensors");
  CHECK(grey.exit_code == 0);
  CHECK_THAT(grey.err, ContainsSubstring("attnscope: \"grey.png\" has 16 bits of grey a pixel"));
  check_refusal(directory, "run " + vit + " --image none.png -o q.safetensors", 1, "none.png");
  check_refusal(directory, "run " + vit + " --text a -o q.safetensors", 1, "takes pictures");
  write_bytes_gpt(directory / "m");
  check_refusal(directory, "run m --image p.png -o q.safetensors", 1, "take pictures");
}

TEST_CASE("what the model commands cannot do is said in a sentence", "[cli][models]") {
  const TemporaryDirectory directory;
  write_bytes_gpt(directory / "m");
  check_refusal(directory, "run none --ids 1 -o o.safetensors", 1, "is neither a folder");
  check_refusal(directory, "run m --ids 1,9 -o o.safetensors", 1, "the model has tokens 0 to 4");
  check_refusal(directory, "run m --ids 1 --ablate 1.0 -o o.safetensors", 1, "There is no head 1.0");
  check_refusal(directory, "run m --ids 1 --layers 3 -o o.safetensors", 1, "There is no layer 3");
  check_refusal(directory, "run m --ids 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 -o o.safetensors", 1,
                "has position 16");
  check_refusal(directory, "run m --text a --decoder-text b -o o.safetensors", 1, "encoder-decoders");
  check_refusal(directory, "run m --ids 1,x -o o.safetensors", 2, "whole numbers like 1,2,3");
  check_refusal(directory, "run m --ids 1 --emit q,q -o o.safetensors", 2, "any of q,k,v");
  check_refusal(directory, "run m --ids 1 --layers 2-1 -o o.safetensors", 2, "0-3");
  check_refusal(directory, "run m --ids 1 --ablate 3 -o o.safetensors", 2, "layer.head");
  check_refusal(directory, "run m -o o.safetensors", 2, "required");
  check_refusal(directory, "run m --ids 1 --temperature 1 -o o.safetensors", 2, "--generate");
  check_refusal(directory, "run m --ids 1 --generate 1 --seed 1 -o o.safetensors", 2, "--temperature");
  check_refusal(directory, "run m --ids 1 --generate 1 --temperature -1 -o o.safetensors", 2,
                "from 0 to 1000");
  fs::create_directory(directory / "empty");
  for (const char* const command :
       {"run empty --text a -o o.safetensors", "model empty", "atlas empty --text a -o o.csv"}) {
    CAPTURE(command);
    check_refusal(directory, command, 1, "is a folder without config.json and without a .gguf file");
  }
  fs::remove(directory / "m/vocab.json");
  check_refusal(directory, "run m --text a -o o.safetensors", 1, "m");
  std::ofstream(directory / "m/config.json") << R"({"model_type": "mamba"})";
  check_refusal(directory, "model m", 1, "\"mamba\" is no family");
}

}  // namespace attnscope::cli_models_test
