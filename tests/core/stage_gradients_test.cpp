// The slots of gradients in the backward pass.
#include <catch2/catch_test_macros.hpp>

#include "core/attention/backward/run_backward.hpp"
#include "core/random_documents.hpp"

namespace attnscope::stage_gradients_test {

using Values = TensorOf<double>;

TEST_CASE("backward: gradients of a stage add up, and are copied only where others need them") {
  samples::Random random(11);
  const auto tensor = [&] {
    const TensorPtr drawn = random.tensor({2, 3}, 1);
    return Values(drawn->shape(), {drawn->values().begin(), drawn->values().end()});
  };
  const Values first = tensor(), second = tensor();
  StageGradients<double> at(Stages{Stage::Drop});
  at.give(Stage::Drop, Values(first));
  at.give(Stage::Drop, Values(second));
  CHECK(at.of(Stage::Drop)->matrix() == first.matrix() + second.matrix());
  at.pass(Stage::Drop, Stage::Intervention);
  CHECK(at.of(Stage::Intervention) == at.of(Stage::Drop));
  Values taken = at.take(Stage::Intervention);
  taken.matrix().setZero();
  CHECK(at.of(Stage::Intervention) == nullptr);
  CHECK(at.of(Stage::Drop)->matrix() == first.matrix() + second.matrix());
  at.release(Stage::Drop);
  CHECK(at.of(Stage::Drop) != nullptr);  // kept
  at.give(Stage::Mask, Values(first));
  const double* numbers = at.of(Stage::Mask)->data();
  CHECK(at.take(Stage::Mask).data() == numbers);  // no other stage needs it
  at.sum(Stage::Position, Shape{2, 3}).matrix() += first.matrix();
  at.sum(Stage::Position, Shape{2, 3}).matrix() += second.matrix();
  CHECK(at.of(Stage::Position)->matrix() == first.matrix() + second.matrix());
}

}  // namespace attnscope::stage_gradients_test
