// Reading typed numbers.
#include "app/kit/widgets/number_edit.hpp"

#include <catch2/catch_test_macros.hpp>

namespace attnscope::number_edit_test {

TEST_CASE("what is typed is read as a person writes it", "[weights]") {
  CHECK(typed_float("0.25") == 0.25f);
  CHECK(typed_float("\u2212"
                    "1,5") == -1.5f);
  CHECK(typed_float(" +1e-3 ") == 1e-3f);
  for (const char* text : {"", "-", "1e", "1.2.3", "nan", "inf", "1e99", "abc", "1 2x"})
    CHECK_FALSE(typed_float(text));
  CHECK(typed_double("9007199254740991") == 9007199254740991.0);  // a seed: more digits than a float has
}

}  // namespace attnscope::number_edit_test
