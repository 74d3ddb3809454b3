// A piece of the tour of words_tour_test.cpp, beside which it goes.
#include <catch2/catch_test_macros.hpp>

#include "app/words_template.hpp"

namespace attnscope::words_tour_settings_test {

using namespace attnscope::test;

TEST_CASE("words: what settings of today's models say is in the template", "[words]") {
  if (template_is_asked_for()) return;
  MetWords met;
  take_tour(TourPiece::Settings, met);
  check_known(met);
}

}  // namespace attnscope::words_tour_settings_test
