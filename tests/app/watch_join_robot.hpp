// tests/app: a process that runs a model from the disk: it sends the queries, keys and values of a run of
// that model.
#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "app/watch_robot.hpp"
#include "core/models/opened/opened_model.hpp"
#include "core/models/reading/open_model.hpp"
#include "core/models/run_model.hpp"

namespace attnscope::test {

struct ProcessOfModel {
  struct Options {
    float queries_times = 1;   // another checkpoint
    bool hides_first = false;  // the first key, by a mask
    bool sends_ids = true;
    int layers_said = 3;
    int number = 0;
  };

  ProcessOfModel(const WatchFolder& folder, const std::filesystem::path& model,
                 std::vector<std::int64_t> read, const Options& options)
      : ids(std::move(read)),
        writer(folder.directory.path() / ("watch-" + std::to_string(::getpid()) + "-" +
                                          std::to_string(options.number) + ".attnwatch"),
               std::uint64_t{4} << 20,
               {{"module", "GPT2LMHeadModel"},
                {"dtype", "float32"},
                {"device", "cpu"},
                {"attention", "sdpa"},
                {"name_or_path", model.native()},
                {"model_type", "gpt2"},
                {"layers", options.layers_said},
                {"heads", 4},
                {"kv_heads", 4},
                {"d_k", 4},
                {"vocabulary", 8}}) {
    const ModelPtr opened = open_model(model);
    ThreadPool pool(1);
    ModelInput input;
    input.ids = ids;
    const ModelRun run = run_model(*opened, input, {}, Work{pool, {}});
    for (std::size_t block = 0; block < opened->decoder.blocks.size(); ++block)
      writer.write(call(*opened, run, block, options));
    WatchRecordBytes end{watch_format::EndOfPass, {{"pass", 0}, {"ms", 12.5}}};
    if (options.sends_ids) {
      WatchBlob blob{"I64", {1, count()}, {}};
      const auto bytes = std::as_bytes(std::span(ids));
      blob.bytes.assign(bytes.begin(), bytes.end());
      end.blobs = {{"ids", blob}};
    }
    writer.write(end);
  }

  std::int64_t count() const { return std::ssize(ids); }

  std::vector<std::int64_t> ids;
  WatchWriter writer;

 private:
  WatchRecordBytes call(const Model& model, const ModelRun& run, std::size_t block, const Options& options) {
    const LayerSpec& spec = model.spec.decoder->blocks[block];
    const HeadColumns& columns = model.decoder.blocks[block].attention.columns;
    const KeptRows& rows = run.decoder.attention[block].queries;
    const auto part = [&](std::int64_t first, float times) {
      Tensor tensor(Shape{1, spec.heads, count(), spec.d_k});
      for (std::int64_t head = 0; head < spec.heads; ++head)
        for (std::int64_t row = 0; row < count(); ++row)
          for (std::int64_t d = 0; d < spec.d_k; ++d)
            tensor.matrix(0, head)(row, d) = rows.row(row)[first + head * columns.stride + d] * times;
      return watch_blob(tensor);
    };
    WatchRecordBytes made{watch_format::Call,
                          {{"pass", 0},
                           {"layer", block},
                           {"name", "h." + std::to_string(block) + ".attn"},
                           {"kind", "self"},
                           {"keys_from", 0},
                           {"queries_from", 0},
                           {"scale", scale_of(spec)},
                           {"causal", true},
                           {"ms", 1.5}}};
    made.blobs = {{"q", part(columns.query, options.queries_times)},
                  {"k", part(columns.key, 1)},
                  {"v", part(columns.value, 1)}};
    if (options.hides_first) {
      WatchBlob mask{"BOOL", {1, 1, count(), count()}, {}};
      for (std::int64_t row = 0; row < count(); ++row)
        for (std::int64_t key = 0; key < count(); ++key)
          mask.bytes.push_back(key == 0 && row > 0 ? std::byte{0} : std::byte{1});
      made.blobs.emplace_back("mask", mask);
    }
    return made;
  }
};

}  // namespace attnscope::test
