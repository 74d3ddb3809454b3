// Lists of texts: reading a file of them, mean and deviation in one pass, and the message for a text that a
// model cannot read.
#include "core/readouts/over_texts/text_list.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/models/reading/open_model.hpp"
#include "core/opened_models.hpp"
#include "core/readouts/over_texts/head_spread.hpp"
#include "support/small_folders.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::text_list_test {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("mean and spread come out of one pass", "[readouts][texts]") {
  Spread spread;
  CHECK(std::isnan(spread.mean()));
  // Far from 0 the sum of squares alone would lose all digits of the deviation.
  for (const double x : {4.0, 7.0, 13.0, 16.0}) spread.add(1e9 + x);
  CHECK(spread.count() == 4);
  CHECK(spread.mean() == 1e9 + 10);
  CHECK(std::abs(spread.deviation() - std::sqrt(30.0)) < 1e-9);
  CHECK(spread.least() == 1e9 + 4);
  CHECK(spread.largest() == 1e9 + 16);
  Spread one;
  one.add(-2);
  CHECK(one.mean() == -2);
  CHECK(one.largest() == -2);
  CHECK(std::isnan(one.deviation()));
}

TEST_CASE("a list of texts is read line by line", "[readouts][texts]") {
  const test::TemporaryDirectory directory;
  const TextList list =
      read_text_list(directory.write("t.txt", "\xEF\xBB\xBFone text\r\n \t\r\n\r\ncaf\xC3\xA9\nlast"));
  REQUIRE(list.texts.size() == 3);
  CHECK(list.texts[0].text == "one text");
  CHECK(list.texts[1].text == "caf\xC3\xA9");
  CHECK(list.texts[1].line == 4);
  CHECK(list.texts[2].text == "last");
  CHECK(list.left_out == std::vector<std::int64_t>{2, 3});
  CHECK_THROWS_WITH(read_text_list(directory.write("u.txt", "fine\ncaf\xE9\n")),
                    ContainsSubstring("Line 2 of") && ContainsSubstring("its byte 3 (0xe9)"));
  CHECK_THROWS_WITH(read_text_list(directory.write("z.txt", std::string_view("a\nb\0c\n", 6))),
                    ContainsSubstring("Line 2 of") && ContainsSubstring("its byte 1 is 0"));
  CHECK_THROWS_WITH(read_text_list(directory.write("e.txt", "\n \n")), ContainsSubstring("holds no text"));
  CHECK_THROWS_WITH(read_text_list(directory.write("l.txt", "a\n" + std::string(1'000'001, 'b') + "\n")),
                    ContainsSubstring("Line 2 of") && ContainsSubstring("1000001 bytes"));
  CHECK_THROWS_WITH(read_text_list(directory / "none.txt"), ContainsSubstring("none.txt"));
}

TEST_CASE("scores over texts stop when they are told to, and name the line at fault", "[readouts][texts]") {
  const test::TemporaryDirectory directory;
  const OpenedModelPtr opened = opened_models::small_gpt(directory / "gpt");
  ThreadPool pool(2);
  std::stop_source stop;
  stop.request_stop();
  const TextList list = read_text_list(directory.write("t.txt", "ab\nba\n"));
  CHECK_THROWS_AS(head_spreads(*opened, list, {}, nullptr, Work{pool, stop.get_token()}), Cancelled);
  const Work work{pool, {}};
  const TextList too_long = read_text_list(directory.write("l.txt", "ab\n\n" + std::string(100, 'a') + "\n"));
  CHECK_THROWS_WITH(head_spreads(*opened, too_long, {}, nullptr, work),
                    ContainsSubstring("Line 3 of") && ContainsSubstring("has 100 tokens"));
  const TextList untold = read_text_list(directory.write("u.txt", "ab\naZb\n"));
  const HeadSpreads found = head_spreads(*opened, untold, {}, nullptr, work);
  REQUIRE(found.untold.size() == 1);
  CHECK(found.untold[0].line == 2);
  CHECK_THAT(found.untold[0].sentence, ContainsSubstring("\"Z\""));
  CHECK_THROWS_WITH(head_spreads(*opened, list, {.decoder_text = "a"}, nullptr, work),
                    ContainsSubstring("encoder-decoders"));
  write_small_vit(directory / "vit");
  OpenedModel pictures;
  pictures.model = open_model(directory / "vit");
  CHECK_THROWS_WITH(head_spreads(pictures, list, {}, nullptr, work), ContainsSubstring("takes pictures"));
}

}  // namespace attnscope::text_list_test
