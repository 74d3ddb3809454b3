#include "app/cli/models/model_commands.hpp"

#include <filesystem>
#include <optional>
#include <string>

#include "app/cli/models/model_facts.hpp"
#include "app/cli/models/run_model.hpp"
#include "app/cli/over_texts/heads_command.hpp"
#include "app/cli/over_texts/patch_command.hpp"
#include "app/cli/over_texts/similar_command.hpp"
#include "app/cli/over_texts/texts_output.hpp"
#include "app/cli/parts/checked_option.hpp"
#include "core/text/day.hpp"
#include "core/text/whole_text.hpp"

namespace attnscope {
namespace {

constexpr const char* folder_help =
    "A folder with config.json and safetensors, as Hugging Face's libraries write it, or a .gguf file";

constexpr const char* texts_help = "A file with a text in each line, UTF-8";

/// Calls fn with each piece between commas; false if fn returns false for one, or if there is none.
template <class Fn>
bool each_piece(std::string_view text, Fn&& fn) {
  for (;;) {
    const std::size_t comma = text.find(',');
    if (!fn(text.substr(0, comma))) return false;
    if (comma == text.npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool read_ids(std::string_view text, std::vector<std::int64_t>& ids) {
  ids.clear();
  return each_piece(text, [&](std::string_view piece) {
    const auto id = whole_text_as<std::int64_t>(piece);
    if (id) ids.push_back(*id);
    return id && *id >= 0;
  });
}

/// "3.5,7.0": block and head.
bool read_heads(std::string_view text, std::vector<HeadAt>& heads) {
  heads.clear();
  return each_piece(text, [&](std::string_view piece) {
    const std::size_t dot = piece.find('.');
    if (dot == piece.npos) return false;
    const auto block = whole_text_as<int>(piece.substr(0, dot)),
               head = whole_text_as<int>(piece.substr(dot + 1));
    if (!block || !head || *block < 0 || *head < 0) return false;
    heads.push_back({*block, *head});
    return true;
  });
}

/// "0-3" or "2".
bool read_blocks(std::string_view text, RunModelOptions& options) {
  const std::size_t dash = text.find('-');
  const auto first = whole_text_as<int>(text.substr(0, dash));
  const auto last = dash == text.npos ? first : whole_text_as<int>(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first) return false;
  options.first_block = *first;
  options.last_block = *last;
  return true;
}

bool read_parts(std::string_view text, std::set<ModelPart>& parts) {
  parts.clear();
  return each_piece(text, [&](std::string_view piece) {
    const std::optional<ModelPart> part = model_part_from(piece);
    return part && parts.insert(*part).second;
  });
}

}  // namespace

struct ModelCommands::Lines {
  RunModelOptions run;
  std::string text_file, out, batch, image, model;
  bool json = false;
  AtlasOptions atlas;
  bool last_only = false, mean = false, effects = false;
  std::string texts;
  std::optional<std::filesystem::path> table_out;  // of commands over texts
  std::optional<std::string> decoder_text;
  std::optional<SentencePooling> pooling;
  CLI::App *run_command = nullptr, *tokenize_command = nullptr, *model_command = nullptr,
           *atlas_command = nullptr, *heads_command = nullptr, *patch_command = nullptr,
           *similar_command = nullptr;

  void add_run(CLI::App& app) {
    run_command = app.add_subcommand("run", "Run a model and write what transformers returns");
    CLI::App& command = *run_command;
    command.add_option("MODEL", model, folder_help)->required()->type_name("");
    CLI::Option_group& input = *command.add_option_group("input", "What runs through it, one of these");
    input.add_option("--text", run.text, "A text")->type_name("T");
    input.add_option("--text-file", text_file, "A file with a text")->type_name("FILE");
    add_checked(input, {"--ids", "LIST", "Numbers of tokens", "whole numbers like 1,2,3",
                        [this](const std::string& list) { return read_ids(list, run.ids.emplace()); }});
    add_chat(command, input);
    input.add_option("--image", image, "A picture, PNG or JPEG")->type_name("FILE");
    input.add_option("--batch", batch, "What transformers takes: input_ids, attention_mask, pixel_values, …")
        ->type_name("IN.safetensors");
    input.require_option(1);
    command.add_option("--pair", run.pair, "The second text of a pair")->type_name("T2")->needs("--text");
    add_decoder_text(command, run.decoder_text);
    refuse_dash(command.add_option("-o,--out", out, "What comes out goes here"), "tensors")
        ->required()
        ->type_name("OUT.safetensors");
    add_checked(command,
                {"--emit", "LIST", "What is written besides", "any of q,k,v,entropy,received,lens, each once",
                 [this](const std::string& list) { return read_parts(list, run.emit); }});
    add_checked(command, {"--names", "WHOSE",
                          "Names and shapes as transformers returns them, or TransformerLens' hooks",
                          "transformers or transformer-lens", [this](const std::string& name) {
                            const auto names = tensor_names_from(name);
                            run.names = names.value_or(run.names);
                            return names.has_value();
                          }});
    command.get_option("--names")->excludes("--emit");
    add_checked(command, {"--layers", "RANGE", "Attention of these layers alone", "0-3, or one number",
                          [this](const std::string& range) { return read_blocks(range, run); }});
    add_checked(command, {"--ablate", "LIST", "Heads whose output is set to zero", "layer.head like 3.5,7.0",
                          [this](const std::string& list) { return read_heads(list, run.ablated); }});
    add_checked(command, {"--generate", "N", "So many tokens more, each the likeliest or drawn",
                          "a whole number from 1 to 100000", [this](const std::string& number) {
                            run.generate = whole_text_as<int>(number).value_or(0);
                            return run.generate >= 1 && run.generate <= 100'000;
                          }});
    add_sampling(command);
  }

  static void add_decoder_text(CLI::App& command, std::optional<std::string>& into, const char* to = "") {
    command
        .add_option("--decoder-text", into,
                    std::string("What the decoder of an encoder-decoder has said so far") + to)
        ->type_name("D");
  }

  /// Adds --chat and its kin to the inputs of `input`, and the settings of a chat to `command`.
  void add_chat(CLI::App& command, CLI::App& input) {
    input
        .add_option("--chat", run.chat.file,
                    "A file of messages, [{\"role\": \"user\", \"content\": \"Hello\"}, …], put through the "
                    "model's chat template")
        ->type_name("FILE.json");
    input.add_option("--chat-user", run.chat.user, "The same for one message of a user")->type_name("T");
    command.add_option("--chat-template", run.chat.template_name, "Which of the model's chat templates")
        ->type_name("NAME");
    add_checked(command, {"--chat-date", "DAY", "The day that a chat template is told which asks for it",
                          "a day like 2026-11-27", [this](const std::string& day) {
                            run.chat.date = day_from(day);
                            return run.chat.date.has_value();
                          }});
    command.add_flag_callback(
        "--no-generation-prompt", [this] { run.chat.generation_prompt = false; },
        "The text ends with the last message, not where the model's answer begins");
    command.parse_complete_callback([this, &command] {
      for (const char* name : {"--chat-template", "--chat-date", "--no-generation-prompt"})
        if (command.count(name) > 0 && !run.chat.is_given())
          throw CLI::RequiresError(name, "--chat or --chat-user");
    });
  }

  void add_sampling(CLI::App& command) {
    SamplingSettings& sampling = run.sampling;
    add_checked(command,
                {"--temperature", "T", "Tokens are drawn, from softmax(logits / T); 0 = the likeliest",
                 "a number from 0 to 1000", [&sampling](const std::string& number) {
                   sampling.temperature = whole_text_as<double>(number).value_or(-1);
                   return sampling.temperature >= 0 && sampling.temperature <= 1'000;
                 }});
    add_checked(command, {"--top-k", "K", "Drawn among so many of the likeliest", "a whole number above 0",
                          [&sampling](const std::string& number) {
                            sampling.top_k = whole_text_as<std::int64_t>(number).value_or(0);
                            return sampling.top_k > 0;
                          }});
    add_checked(command, {"--top-p", "P", "Drawn among the fewest whose probabilities sum up to P",
                          "a number above 0, at most 1", [&sampling](const std::string& number) {
                            sampling.top_p = whole_text_as<double>(number).value_or(0);
                            return sampling.top_p > 0 && sampling.top_p <= 1;
                          }});
    add_checked(command, {"--seed", "S", "The same seed draws the same tokens", "a whole number from 0 on",
                          [&sampling](const std::string& number) {
                            const auto seed = whole_text_as<std::uint64_t>(number);
                            sampling.seed = seed.value_or(0);
                            return seed.has_value();
                          }});
    for (const char* name : {"--temperature", "--top-k", "--top-p", "--seed"})
      command.get_option(name)->needs("--generate");
    for (const char* name : {"--top-k", "--top-p", "--seed"})
      command.get_option(name)->needs("--temperature");
  }

  void add_atlas(CLI::App& app) {
    atlas_command =
        app.add_subcommand("atlas", "The effect of ablating each head of a decoder on its prediction");
    CLI::App& command = *atlas_command;
    command.add_option("MODEL", model, folder_help)->required()->type_name("");
    CLI::Option_group& input = *command.add_option_group("input", "What runs through it, one of these");
    input.add_option("--text", atlas.text, "A text")->type_name("T");
    add_checked(input, {"--ids", "LIST", "Numbers of tokens", "whole numbers like 1,2,3",
                        [this](const std::string& list) { return read_ids(list, atlas.ids.emplace()); }});
    input.require_option(1);
    command.add_option("-o,--out", out, "The table goes here, - is the standard output")
        ->required()
        ->type_name("OUT.csv");
    add_decoder_text(command, atlas.decoder_text);
    add_checked(command,
                {"--at", "N", "Position of the prediction: the last one, of encoders the first masked token",
                 "a whole number from 0 on", [this](const std::string& number) {
                   atlas.request.row = whole_text_as<std::int64_t>(number);
                   return atlas.request.row && *atlas.request.row >= 0;
                 }});
    command.add_flag("--mean", mean, "A head gives its mean over the text, not zeros");
    command.add_flag("--last", last_only, "Effects on one position alone: faster");
    command.add_flag("--prune", atlas.prune,
                     "Heads are removed one after the other, that of the least effect first");
  }

  /// Adds the input and the output of a command over a file of texts.
  void add_texts(CLI::App& command, const char* option, const char* help) {
    command.add_option("MODEL", model, folder_help)->required()->type_name("");
    command.add_option(option, texts, help)->required()->type_name("FILE");
    add_checked(command, {"-o,--out", "OUT", "The table goes here, not to the standard output",
                          "a file that ends in .csv or .json", [this](const std::string& path) {
                            table_out = path;
                            return table_form(table_out).has_value();
                          }});
  }

  void add_heads(CLI::App& app) {
    heads_command =
        app.add_subcommand("heads", "Scores of each head over many texts: mean, spread, least and largest");
    CLI::App& command = *heads_command;
    add_texts(command, "--texts", texts_help);
    add_decoder_text(command, decoder_text, ", to every text");
    command.add_flag("--effects", effects, "The effect of ablating each head, too, as atlas has it");
    command.add_flag("--mean", mean, "A head gives its mean over the text, not zeros")->needs("--effects");
    command.add_flag("--last", last_only, "Effects on one position alone: faster")->needs("--effects");
  }

  void add_patch(CLI::App& app) {
    patch_command = app.add_subcommand(
        "patch", "What each head brings back of the clean answer, over many pairs of texts");
    CLI::App& command = *patch_command;
    add_texts(command, "--pairs",
              "A file with a clean and a corrupted text in each line, a tab between them, UTF-8; behind "
              "further tabs the right answer and the wrong one");
    add_decoder_text(command, decoder_text, ", to every text");
  }

  void add_similar(CLI::App& app) {
    similar_command = app.add_subcommand(
        "similar", "How alike texts are to a model: the cosine of each two texts' vectors");
    add_texts(*similar_command, "--texts", texts_help);
    add_checked(*similar_command, {"--pooling", "HOW",
                                   "How one vector is made of a text, whatever the model's modules.json says",
                                   "one of " + sentence_pooling_names(), [this](const std::string& name) {
                                     pooling = sentence_pooling_from(name);
                                     return pooling.has_value();
                                   }});
  }

  void add_tokenize(CLI::App& app) {
    tokenize_command =
        app.add_subcommand("tokenize", "Tokens of each line of the standard input, or of a chat");
    tokenize_command->add_option("MODEL", model, folder_help)->required()->type_name("");
    CLI::Option_group& input = *tokenize_command->add_option_group("input", "What is tokenized");
    input.add_flag("--json", json, "Each line is a text as a JSON string");
    add_chat(*tokenize_command, input);
    input.require_option(0, 1);
  }

  void add_model(CLI::App& app) {
    model_command = app.add_subcommand("model", "Say what a model is: family, sizes, tensors");
    model_command->add_option("MODEL", model, folder_help)->required()->type_name("");
  }
};

ModelCommands::ModelCommands(CLI::App& app) : lines_(std::make_unique<Lines>()) {
  lines_->add_run(app);
  lines_->add_tokenize(app);
  lines_->add_model(app);
  lines_->add_atlas(app);
  lines_->add_heads(app);
  lines_->add_patch(app);
  lines_->add_similar(app);
}

ModelCommands::~ModelCommands() = default;

std::optional<RunModelOptions> ModelCommands::asked_run() const {
  if (!*lines_->run_command) return std::nullopt;
  RunModelOptions options = lines_->run;
  options.model = lines_->model;
  options.out = lines_->out;
  if (!lines_->text_file.empty()) options.text_file = lines_->text_file;
  if (!lines_->batch.empty()) options.batch = lines_->batch;
  if (!lines_->image.empty()) options.image = lines_->image;
  return options;
}

std::optional<AtlasOptions> ModelCommands::asked_atlas() const {
  if (!*lines_->atlas_command) return std::nullopt;
  AtlasOptions options = lines_->atlas;
  options.model = lines_->model;
  options.out = lines_->out;
  options.request.all_positions = !lines_->last_only;
  if (lines_->mean) options.request.kind = AblationKind::Mean;
  return options;
}

std::optional<TokenizeOptions> ModelCommands::asked_tokenize() const {
  if (!*lines_->tokenize_command) return std::nullopt;
  return TokenizeOptions{lines_->model, lines_->json, lines_->run.chat};
}

bool ModelCommands::run() const {
  if (const std::optional<RunModelOptions> asked = asked_run()) {
    ModelAtHand model(asked->model);
    run_model_command(*asked, model);
    return true;
  }
  if (const std::optional<AtlasOptions> asked = asked_atlas()) {
    ModelAtHand model(asked->model);
    attnscope::atlas_command(*asked, model);
    return true;
  }
  if (*lines_->heads_command) {
    HeadsOptions options{lines_->model, lines_->texts, lines_->table_out, {}};
    options.request.decoder_text = lines_->decoder_text;
    if (lines_->effects)
      options.request.effects =
          AblationRequest{.kind = lines_->mean ? AblationKind::Mean : AblationKind::Zero,
                          .all_positions = !lines_->last_only};
    attnscope::heads_command(options);
    return true;
  }
  if (*lines_->patch_command) {
    attnscope::patch_command({lines_->model, lines_->texts, lines_->table_out, lines_->decoder_text});
    return true;
  }
  if (*lines_->similar_command) {
    attnscope::similar_command({lines_->model, lines_->texts, lines_->table_out, lines_->pooling});
    return true;
  }
  if (const std::optional<TokenizeOptions> asked = asked_tokenize()) {
    ModelAtHand model(asked->model);
    if (asked->chat.is_given())
      tokenize_chat(model, asked->chat);
    else
      tokenize_lines(model, asked->json);
    return true;
  }
  if (*lines_->model_command) {
    print_model(lines_->model);
    return true;
  }
  return false;
}

}  // namespace attnscope
