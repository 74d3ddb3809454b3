// Ranks in a table with equal logits.
#include <memory>

#include <catch2/catch_test_macros.hpp>

#include "app/exports/model_tables.hpp"
#include "app/model_robot.hpp"
#include "app/shell/app.hpp"
#include "support/csv_reader.hpp"

namespace attnscope::model_ranks_test {

using namespace attnscope::test;

TEST_CASE("of equal logits the smaller number ranks first, before and after", "[model][export]") {
  const TemporaryDirectory directory;
  Robot robot(with_letters(directory));
  type_text(robot, "ab c");
  ModelReading reading = *robot.app().model();
  ModelPrediction tied = *reading.prediction;
  tied.before = {1, 2, 2, 0, 0, 0, 0, 0};
  tied.after = {3, 3, 0, 3, 0, 0, 0, 0};
  reading.prediction = std::make_shared<const ModelPrediction>(std::move(tied));
  const CsvReader table(model_table(ModelTable::Prediction, reading, {}));
  const int ids[] = {0, 1, 3, 2, 4, 5, 6, 7};
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(table.number(i, "id") == ids[i]);
    CHECK(table.number(i, "rank_after") == static_cast<double>(i + 1));
  }
  CHECK(table.number(1, "rank_before") == 1);
  CHECK(table.number(3, "rank_before") == 2);
  CHECK(table.number(0, "rank_before") == 3);
}

}  // namespace attnscope::model_ranks_test
