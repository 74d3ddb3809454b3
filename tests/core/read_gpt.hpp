// tests/core: the small GPT-2 of random numbers, opened from its folder, and its run and the oracle's of the
// same tokens.
#pragma once

#include "core/models/reading/open_model.hpp"
#include "core/models/run_heads.hpp"
#include "core/small_models.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::small_models {

struct ReadGpt {
  static constexpr int length = 11;

  test::TemporaryDirectory directory;
  oracle::GptWeights weights = gpt_weights();
  ThreadPool pool{2};
  Work work{pool, {}};
  ModelPtr model;
  ModelInput input;
  ModelRun run;
  oracle::GptRun expected;

  ReadGpt() {
    write_gpt(directory / "gpt", weights);
    model = open_model(directory / "gpt");
    input.ids = some_ids(length, gpt_tokens);
    run = run_model(*model, input, {}, work);
    expected = oracle::run_gpt(weights, {input.ids.begin(), input.ids.end()});
  }
};

}  // namespace attnscope::small_models
