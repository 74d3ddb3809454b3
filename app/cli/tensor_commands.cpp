#include "app/cli/tensor_commands.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "app/cli/attend.hpp"
#include "app/cli/layer.hpp"
#include "app/cli/parts/checked_option.hpp"
#include "app/cli/readings.hpp"
#include "app/cli/rotate.hpp"
#include "core/document/enum_names.hpp"

namespace attnscope {
namespace {

/// "weights,lse": false for an unknown or a repeated name.
bool read_emit(std::string_view text, std::set<Emit>& emit) {
  emit.clear();
  while (true) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::optional<Emit> what = emit_from(text.substr(0, end));
    if (!what || !emit.insert(*what).second) return false;
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

void add_score_options(CLI::App& attend, AttendOptions& options) {
  add_checked(attend, {"--scale", "X", "What scores are multiplied with, 1/sqrt(d) when there is none",
                       "a finite number", [&options](const std::string& text) {
                         options.scale = finite_number(text);
                         return options.scale.has_value();
                       }});
  add_checked(attend, {"--softcap", "X", "Scaled scores x become X·tanh(x / X)",
                       "a number of at least 0, 0 for none", [&options](const std::string& text) {
                         const std::optional<double> cap = finite_number(text);
                         // A cap that is 0 as a float would be no cap.
                         const bool lost = cap && *cap != 0 && static_cast<float>(*cap) == 0;
                         options.soft_cap = lost ? -1 : cap.value_or(-1);
                         return options.soft_cap >= 0;
                       }});
  add_checked(attend, {"--window", "LEFT,RIGHT", "A query sees so many keys before and after its own",
                       "two whole numbers like 4,0, -1 for no end",
                       [&options](const std::string& text) { return read_window(text, options.window); }});
  add_checked(attend,
              {"--precision", "P", "How tensors are stored between the stages", enum_choices<Precision>(),
               [&options](const std::string& text) { return read_precision(text, options.precision); }});
  add_checked(attend, {"--emit", "LIST", "What is written besides Y",
                       "any of scores,capped,masked,weights,lse,entropy,received, each once",
                       [&options](const std::string& text) { return read_emit(text, options.emit); }});
}

}  // namespace

struct TensorCommands::Lines {
  std::string in, out;
  AttendOptions attend;
  LayerOptions layer;
  RotateOptions rotate;
  CLI::App *attend_command = nullptr, *layer_command = nullptr, *rotate_command = nullptr;

  /// Adds a command that reads one file of tensors and writes another.
  CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& what,
                        const std::string& reads, const std::string& writes) {
    CLI::App* command = app.add_subcommand(name, what);
    command->add_option("IN", in, reads + " (.safetensors, .npz)")->required()->type_name("");
    refuse_dash(command->add_option("-o,--out", out, writes + " (.safetensors)"), "tensors")
        ->required()
        ->type_name("PATH");
    return command;
  }

  void add_attend(CLI::App& app) {
    attend_command = add_command(app, "attend", "Compute attention from Q, K, V in a file",
                                 "Tensors Q, K, V [batch, heads, n, d] or [batch, n, heads * d] and, if "
                                 "wanted, attn_mask, past_key, past_value, nonpad_kv_seqlen",
                                 "Y and what --emit names (weights, lse and entropy without it) go here");
    AttendOptions& options = attend;
    attend_command->add_flag("--causal", options.causal, "No query sees a later key");
    add_checked(*attend_command,
                whole_option("--heads", "Heads of 3-D Q", 1, most_asked_heads, options.layout.heads));
    add_checked(*attend_command,
                whole_option("--kv-heads", "Heads of 3-D K and V, as many as of Q when not given", 1,
                             most_asked_heads, options.layout.kv_heads));
    add_score_options(*attend_command, options);
  }

  void add_layer(CLI::App& app) {
    layer_command =
        add_command(app, "layer", "Run a whole attention layer, backwards too when the file has grad_out",
                    "Tensors query (key, value), W_q, W_k, W_v, W_o and what else nn.MultiheadAttention has",
                    "out, attn_weights and the gradients go here");
    LayerSettings& settings = layer.settings;
    settings.heads = 0;
    add_checked(*layer_command,
                whole_option("--heads", "Heads the layer has", 1, most_asked_heads, settings.heads));
    layer_command->get_option("--heads")->required();
    layer_command->add_flag("--causal", settings.causal, "No query sees a later key");
    layer_command->add_flag("--add-zero-attn", settings.add_zero_attn, "One more key and value of zeros");
  }

  void add_rotate(CLI::App& app) {
    rotate_command =
        add_command(app, "rotate", "Turn queries or keys by rotary positions",
                    "Tensors input, cos_cache, sin_cache and, if wanted, position_ids", "output goes here");
    RotateOptions& options = rotate;
    rotate_command->add_flag("--interleaved", options.interleaved,
                             "Pairs (2i, 2i + 1) instead of (i, i + dims/2)");
    add_checked(*rotate_command,
                whole_option("--dims", "Dimensions of a head that are rotated, all when not given", 2,
                             1 << 20, options.dims));
    add_checked(*rotate_command,
                whole_option("--heads", "Heads of 3-D input", 1, most_asked_heads, options.heads));
  }
};

TensorCommands::TensorCommands(CLI::App& app) : lines_(std::make_unique<Lines>()) {
  lines_->add_attend(app);
  lines_->add_layer(app);
  lines_->add_rotate(app);
}

TensorCommands::~TensorCommands() = default;

std::optional<std::string> TensorCommands::run() const {
  Lines& asked = *lines_;
  if (*asked.attend_command) {
    asked.attend.in = asked.in;
    asked.attend.out = asked.out;
    return attend(asked.attend);
  }
  if (*asked.layer_command) {
    asked.layer.in = asked.in;
    asked.layer.out = asked.out;
    return run_layer(asked.layer);
  }
  if (!*asked.rotate_command) return std::nullopt;
  asked.rotate.in = asked.in;
  asked.rotate.out = asked.out;
  rotate_tensor(asked.rotate);
  return std::string();
}

}  // namespace attnscope
