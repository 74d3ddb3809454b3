#include "app/cli/watch_command.hpp"

#include <chrono>
#include <map>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "app/cli/parts/checked_option.hpp"
#include "app/cli/readings.hpp"
#include "app/window/window.hpp"
#include "core/base/error.hpp"
#include "core/files/formats/safetensors.hpp"
#include "core/text/utf8.hpp"
#include "core/watch/watched_weights.hpp"

namespace attnscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t most_written = std::int64_t{1} << 30;  // numbers of all weights: 4 GiB

/// Reads until a pass is complete and nothing more waits, or the time is over.
WatchedSnapshotPtr first_whole_pass(WatchStream& stream, double seconds) {
  WatchedText text;
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  while (true) {
    const bool ended =
        stream.is_closed() || !stream.process().is_alive();  // checked before the last data is read
    stream.look();
    std::vector<WatchRecord> records = stream.poll();
    const bool nothing = records.empty();
    text.take(std::move(records));
    if (text.needs_whole()) stream.ask_for_whole();
    const bool is_late = Clock::now() >= end;
    if (!text.snapshot()->layers.empty() && (nothing || is_late)) return text.snapshot();
    const std::string& note = text.snapshot()->note;
    const std::string why = note.empty() ? "" : " " + note;
    if (nothing && ended)
      throw Error(fmt::format("Process {} has ended, or closed its stream, before a whole pass came.{}",
                              stream.process().pid, why));
    if (is_late)
      throw Error(fmt::format("No whole pass came from process {} in {} seconds.{}", stream.process().pid,
                              seconds, why));
    if (nothing) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Tensor all_rows(const GrowingRows& rows, std::int64_t batch) {
  Tensor tensor(Shape{batch, rows.heads() / batch, rows.rows(), rows.width()});
  const std::int64_t count = rows.rows() * rows.width();
  for (std::int64_t h = 0; h < rows.heads(); ++h)
    std::copy_n(rows.row(h, 0), count, tensor.data() + h * count);
  return tensor;
}

/// [batch][heads][rows][keys]
Tensor all_weights(const WatchedLayer& layer, const Work& work) {
  Tensor all(Shape{layer.batch, layer.heads, layer.rows(), layer.keys()});
  const std::int64_t count = layer.rows() * layer.keys();
  for (std::int64_t b = 0; b < layer.batch; ++b)
    for (std::int64_t h = 0; h < layer.heads; ++h) {
      const Tensor weights = watched_weights(layer, {h, b, 0, -1}, work);
      std::copy_n(weights.data(), count, all.data() + (b * layer.heads + h) * count);
    }
  return all;
}

void check_written(const WatchedSnapshot& text) {
  std::int64_t numbers = 0;
  for (const WatchedLayerPtr& layer : text.layers)
    numbers += layer->batch * layer->heads * layer->rows() * layer->keys();
  if (numbers > most_written)
    throw Error(fmt::format(
        "The weights of all layers are {} numbers, expected at most {}: look at them in the window.", numbers,
        most_written));
}

void write_watched(const std::filesystem::path& out, const WatchStream& stream, const WatchedSnapshot& text) {
  check_written(text);
  ThreadPool pool;
  const Work work{pool, {}};
  std::map<std::string, Tensor> tensors;
  for (const WatchedLayerPtr& layer : text.layers) {
    const std::string name = fmt::format("layers.{}.", layer->index);
    tensors[name + "weights"] = all_weights(*layer, work);
    tensors[name + "q"] = all_rows(layer->query, layer->batch);
    tensors[name + "k"] = all_rows(layer->key, layer->batch);
    tensors[name + "v"] = all_rows(layer->value, layer->batch);
  }
  std::vector<NamedTensor> named;
  for (const auto& [name, tensor] : tensors) named.push_back({name, &tensor, DType::F32});
  std::map<std::string, std::string> facts{{"pass", fmt::to_string(text.passes.back().number)},
                                           {"dropped", fmt::to_string(stream.counts().dropped)},
                                           {"module", stream.facts().module}};
  if (text.sequences > text.batch)
    facts["sequence"] = fmt::format("{} of {}", text.sequence, text.sequences);  // only that one was sent
  write_safetensors(out, named, facts);
}

}  // namespace

WatchCommand::WatchCommand(CLI::App& app)
    : command_(app.add_subcommand("watch",
                                  "Watch a model that runs in Python, which calls attnscope.watch(model)")) {
  CLI::Option* const stream = command_->add_option(
      "STREAM", stream_, "What the process sends (.attnwatch), its newest when not given");
  stream->type_name("");
  CLI::Option* const out = command_->add_option(
      "-o,--out", out_, "Without a window: where the weights of a pass go (.safetensors)");
  refuse_dash(out, "tensors")->type_name("PATH")->needs(stream);
  add_checked(*command_, {"--wait", "SECONDS", "How long a whole pass is waited for, 10 when not given",
                          "a number from 0 to 3600", [this](const std::string& text) {
                            wait_ = finite_number(text).value_or(-1);
                            return wait_ >= 0 && wait_ <= 3600;
                          }});
  command_->get_option("--wait")->needs(out);
}

int WatchCommand::run() const {
  if (out_.empty()) {
    WindowOptions options;
    options.watch = true;
    if (!stream_.empty()) options.file = std::filesystem::absolute(WatchStream(stream_).path());
    return run_window(options);
  }
  WatchStream stream(stream_);
  write_watched(out_, stream, *first_whole_pass(stream, wait_));
  return 0;
}

}  // namespace attnscope
