// Which predicted tokens are listed, with changes of the model and without.
#include "app/results/listed_tokens.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

namespace attnscope::listed_tokens_test {
namespace {

ModelPrediction prediction() {
  ModelPrediction made;
  made.row = 3;
  made.before = {0, 4, 1, 3, 2, -1, -2};
  made.after = {5, 0, 1, 3, 2, -1, -2};
  made.top_before = likeliest(made.before, 3);
  made.top_after = likeliest(made.after, 3);
  made.divergence = 0.5;
  made.log_sum_before = log_sum_exp(made.before);
  made.log_sum_after = log_sum_exp(made.after);
  return made;
}

std::vector<std::int64_t> ids(const std::vector<ListedToken>& listed) {
  std::vector<std::int64_t> all;
  for (const ListedToken& token : listed) all.push_back(token.id);
  return all;
}

}  // namespace

TEST_CASE("the likeliest of both sides are listed, and what is kept", "[model]") {
  const ModelPrediction of = prediction();
  const std::vector<ListedToken> listed = listed_tokens(both_sides(of), {std::nullopt, 6});
  CHECK(ids(listed) == std::vector<std::int64_t>{0, 1, 3, 4, 6});
  CHECK(listed[0].after == Catch::Approx(0.8240174238));
  CHECK(listed[0].before == Catch::Approx(0.011588259014));
}

TEST_CASE("without what is changed both sides are the one before, and no logit is copied", "[model]") {
  const ModelPrediction of = prediction();
  const PredictionSides sides = without_changes(of);
  CHECK(sides.row == 3);
  CHECK(sides.divergence == 0);
  CHECK(sides.after.data() == of.before.data());
  CHECK(sides.top_after.data() == of.top_before.data());
  const std::vector<ListedToken> listed = listed_tokens(sides, {});
  CHECK(ids(listed) == std::vector<std::int64_t>{1, 3, 4});
  for (const ListedToken& token : listed) CHECK(token.before == token.after);
}

}  // namespace attnscope::listed_tokens_test
