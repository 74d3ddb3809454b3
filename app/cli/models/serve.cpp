#include "app/cli/models/serve.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <poll.h>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/models/model_at_hand.hpp"
#include "app/cli/models/model_commands.hpp"
#include "app/cli/models/model_facts.hpp"
#include "app/cli/parts/checked_option.hpp"
#include "core/base/error.hpp"
#include "core/base/worker.hpp"
#include "core/tokenizers/tokenizer.hpp"

namespace attnscope {
namespace {

using nlohmann::json;

/// JSON as text; bytes that are not UTF-8 become U+FFFD.
std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

/// The list of strings under `key`. Throws Error if it is something else.
std::vector<std::string> strings_in(const json& request, std::string_view key) {
  const auto at = request.find(key);
  const auto is_text = [](const json& one) { return one.is_string(); };
  if (at == request.end() || !at->is_array() || !std::ranges::all_of(*at, is_text))
    throw Error(fmt::format("\"{}\" of a request has to be a list of strings.", key));
  return at->get<std::vector<std::string>>();
}

json facts_of(const StackSpec& stack) {
  const LayerSpec& first = stack.blocks[0];
  return {{"layers", stack.blocks.size()},
          {"heads", first.heads},
          {"kv_heads", first.kv_heads},
          {"d_k", first.d_k}};
}

/// Answers requests for one model, one after the other.
class ModelServer {
 public:
  explicit ModelServer(const std::filesystem::path& model) : model_(model) {}

  /// Writes the answer to stdout. Throws nothing.
  void answer(const json& request, const std::stop_token& stop) {
    std::string line = "{\"id\":" + dumped(request.is_object() ? request.value("id", json()) : json());
    try {
      if (stop.stop_requested()) throw Cancelled();
      line += result(request, stop);
    } catch (const Cancelled&) {
      line += ",\"error\":\"Stopped.\"";
    } catch (const CLI::Error& error) {
      line += ",\"error\":" + dumped(usage_sentence(error));
    } catch (const std::bad_alloc&) {
      line += ",\"error\":\"There is not enough memory for this input.\"";
    } catch (const std::exception& error) {
      line += ",\"error\":" + dumped(error.what());
    }
    line += "}\n";
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  }

 private:
  /// The members of the answer, each preceded by a comma.
  std::string result(const json& request, const std::stop_token& stop) {
    if (!request.is_object()) throw Error("A request has to be a JSON object in one line.");
    if (request.contains("model")) return members(facts());
    for (const char* const command : {"run", "atlas", "tokenize"}) {
      if (!request.contains(command)) continue;
      std::vector<std::string> line = strings_in(request, command);
      line.insert(line.begin(), {command, model_.path().native()});
      std::ranges::reverse(line);  // CLI11 takes arguments in reverse order
      CLI::App app;
      const ModelCommands commands(app);
      app.parse(line);
      if (const auto asked = commands.asked_run()) return members(ran(*asked, stop));
      if (const auto asked = commands.asked_atlas()) {
        if (asked->out == "-") throw Error("-o - is the standard output, where the answers go.");
        atlas_command(*asked, model_, stop);
        return "";
      }
      return ",\"encodings\":" + encodings(request, *commands.asked_tokenize());
    }
    throw Error("A request has to name one of run, atlas, tokenize, model and cancel.");
  }

  static std::string members(const json& object) {
    const std::string text = dumped(object);
    return "," + text.substr(1, text.size() - 2);
  }

  json facts() {
    const ModelSpec& spec = model_.model().spec;
    json facts{{"family", spec.family}, {"d_model", spec.d_model}, {"vocabulary", spec.vocabulary}};
    if (spec.encoder) facts["encoder"] = facts_of(*spec.encoder);
    if (spec.decoder) facts["decoder"] = facts_of(*spec.decoder);
    return facts;
  }

  std::string encodings(const json& request, const TokenizeOptions& asked) {
    if (asked.chat.is_given()) return encodings_of_chat(model_, asked.chat);
    return encodings_of_texts(model_, strings_in(request, "texts"));
  }

  json ran(const RunModelOptions& asked, const std::stop_token& stop) {
    json sequences = json::array();
    for (const RanTokens& tokens : run_model_command(asked, model_, stop)) {
      json& one = sequences.emplace_back(json{{"given", tokens.given}, {"ids", tokens.ids}});
      if (!tokens.decoder_ids.empty()) one["decoder_ids"] = tokens.decoder_ids;
      add_words(one, tokens, asked.generate > 0);
    }
    return {{"sequences", std::move(sequences)}};
  }

  /// Adds tokens and text; nothing if the model has no tokenizer.
  void add_words(json& one, const RanTokens& ran, bool generated) {
    if (ran.ids.empty()) return;
    try {
      one["tokens"] = pieces(ran.ids);
      if (!ran.decoder_ids.empty()) one["decoder_tokens"] = pieces(ran.decoder_ids);
      if (!generated) return;
      std::vector<tokenizers::Id> added;
      for (std::size_t i = ran.given; i < ran.ids.size(); ++i)
        added.push_back(static_cast<tokenizers::Id>(ran.ids[i]));
      one["text"] = model_.tokenizer().decode(added);
    } catch (const Error&) {
      one.erase("tokens");
    }
  }

  json pieces(std::span<const std::int64_t> ids) {
    json pieces = json::array();
    for (const std::int64_t id : ids)
      pieces.push_back(model_.tokenizer().piece(static_cast<tokenizers::Id>(id)));
    return pieces;
  }

  ModelAtHand model_;
};

/// Runs even after a cancel, so that every request gets an answer.
class Request final : public Job {
 public:
  Request(ModelServer& server, json request) : server_(server), request_(std::move(request)) {}
  bool step() override {
    server_.answer(request_, stop_token());
    return false;
  }

 private:
  ModelServer& server_;
  json request_;
};

/// Whether the other end of the standard output was closed; waits a tenth of a second for it.
bool is_output_closed() {
  std::array<pollfd, 1> out{pollfd{STDOUT_FILENO, 0, 0}};
  return ::poll(out.data(), out.size(), 100) > 0 && (out[0].revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace

void serve_command(const std::filesystem::path& model) {
  ModelServer server(model);
  Worker worker;
  for (std::string line; std::getline(std::cin, line);) {
    json request = json::parse(line, nullptr, false);
    if (request.is_object() && request.contains("cancel"))
      worker.cancel();
    else
      worker.add(std::make_shared<Request>(server, std::move(request)));
  }
  while (worker.is_busy()) {
    if (!is_output_closed()) continue;
    worker.cancel();
    worker.wait();
  }
}

}  // namespace attnscope
