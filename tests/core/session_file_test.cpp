// Sessions edited by hand: wrong values are left out and reported, the rest is read.
#include "core/files/document/session_file.hpp"

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::session_file_test {
namespace {

using nlohmann::json;

/// A session of a Document with two settings that are no defaults, and a held one with others.
json session() {
  json document = {
      {"attnscope", 1}, {"text", {"The cat sat"}}, {"d_model", 32}, {"heads", 4}, {"temperature", 2.5}};
  json whole = document;
  document["temperature"] = 0.5;
  whole["session"] = 1;
  whole["view"] = {{"mode", "walk"}};
  whole["held"] = document;
  return whole;
}

OpenedFile opened(const json& session) { return session_from_json(session.dump(), "test.json"); }

bool tells(const OpenedFile& file, const std::string& words) {
  for (const std::string& sentence : file.lost)
    if (sentence.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("a whole session loses nothing", "[session]") {
  const OpenedFile file = opened(session());
  CHECK(file.lost.empty());
  CHECK(file.document.layer().temperature == 2.5f);
  REQUIRE(file.held);
  CHECK(file.held->layer().temperature == 0.5f);
  CHECK(json::parse(file.view) == json{{"mode", "walk"}});
}

TEST_CASE("a wrong value of a session is left out, of what is shown and of what is held", "[session]") {
  json wrong = session();
  wrong["temperature"] = -3;
  OpenedFile file = opened(wrong);
  CHECK(file.document.layer().temperature == 1);
  CHECK(file.document.layer().heads == 4);
  CHECK(tells(file, "\"temperature\""));
  CHECK_FALSE(tells(file, "Of what was held"));
  CHECK(file.held->layer().temperature == 0.5f);

  wrong = session();
  wrong["held"]["temperature"] = -3;
  file = opened(wrong);
  CHECK(file.document.layer().temperature == 2.5f);
  REQUIRE(file.held);
  CHECK(file.held->layer().temperature == 1);
  CHECK(file.held->layer().heads == 4);
  CHECK(tells(file, "Of what was held: "));
  CHECK(tells(file, "\"temperature\""));

  wrong = session();
  wrong["held"]["text"] = 5;
  file = opened(wrong);
  CHECK_FALSE(file.held);
  CHECK(tells(file, "What was held."));
}

TEST_CASE("of settings that do not go together one goes, the others stay", "[session]") {
  json wrong = session();
  wrong["heads"] = 5;  // 32 / 5
  const OpenedFile file = opened(wrong);
  CHECK((file.document.layer().heads != 5 || file.document.layer().d_model != 32));
  CHECK(file.document.layer().temperature == 2.5f);
  REQUIRE(file.lost.size() == 1);
  CHECK(tells(file, "did not go with the rest"));
}

TEST_CASE("a session whose look is lost is a session", "[session]") {
  json wrong = session();
  wrong.erase("view");
  OpenedFile file = opened(wrong);
  CHECK(file.view == "{}");
  CHECK(tells(file, "How it was looked at."));
  CHECK(file.held);
  wrong = session();
  wrong.erase("session");
  file = opened(wrong);
  CHECK(file.lost.empty());
  CHECK(json::parse(file.view) == json{{"mode", "walk"}});
  // Neither: a document, which is read strictly.
  wrong.erase("view");
  wrong.erase("held");
  CHECK(opened(wrong).view.empty());
  wrong["temperature"] = -3;
  CHECK(test::message_of<Error>([&] { opened(wrong); }).find("temperature") != std::string::npos);
}

}  // namespace attnscope::session_file_test
