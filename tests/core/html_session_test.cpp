// The session in an HTML page: found whatever the file's name and the page's texts, refused with a sentence
// if it is damaged; and its base64 encoding.
#include "core/files/document/html_session.hpp"

#include <fstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "core/base/error.hpp"
#include "core/files/document/session_file.hpp"
#include "core/text/base64.hpp"
#include "support/temporary_directory.hpp"

namespace attnscope::html_session_test {
namespace {

const std::string head =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"generator\" content=\"AttnScope 1.0\">\n</head><body>";

std::string page_with(const std::string& element) {
  return head + "<p> id=&quot;attnscope-session&quot;&gt;{}&lt;/script&gt;</p>" + element +
         "<script>x</script></body>";
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("base64 comes back as it was, with every number of bytes at the end", "[html]") {
  CHECK(base64_text("") == "");
  CHECK(base64_text("f") == "Zg==");
  CHECK(base64_text("fo") == "Zm8=");
  CHECK(base64_text("foobar") == "Zm9vYmFy");
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    CHECK(base64_bytes(base64_text(bytes)) == bytes);
    bytes += static_cast<char>(i);
  }
  CHECK(base64_bytes(" Zm9v\nYmFy ") == "foobar");
  for (const char* wrong : {"Z", "Zg", "Zg=", "Zg=a", "Z===", "Zm9v=", "Zm\x80v"})
    CHECK(!base64_bytes(wrong));
}

TEST_CASE("a session comes out of a page as it went in", "[html]") {
  const std::string json = R"({"title":"</script><!-- \" & é 👩","view":{}})";
  const std::string page = page_with(html_session_element(json));
  CHECK(page.find("</script><!--") == std::string::npos);
  CHECK(json_in_html(json) == R"({"title":"\u003c/script>\u003c!-- \" & é 👩","view":{}})");
  CHECK(session_in_html(page, "a.html") == json_in_html(json));
}

TEST_CASE("a page without its session is refused in a sentence that names it", "[html]") {
  for (const std::string& page :
       {page_with(""), head + "<script id=\"attnscope-session\">",
        page_with(packed_session_element("nothing", 99)),
        page_with("<script id=\"attnscope-session\" data-bytes=\"5\">no letters!</script>")}) {
    try {
      session_in_html(page, "a.html");
      FAIL("was taken");
    } catch (const Error& error) {
      CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring("\"a.html\" is a page of AttnScope"));
    }
  }
}

TEST_CASE("a page opens as its session by what is in it, other HTML as the text that it is", "[html]") {
  const test::TemporaryDirectory directory;
  const std::string session =
      R"({"attnscope": 1, "session": 1, "text": ["The cat sat"], "d_model": 32, "heads": 4, "temperature": 2.5, "view": {}})";
  write(directory / "a.html", page_with(html_session_element(session)));
  write(directory / "renamed.txt", page_with(html_session_element(session)));
  write(directory / "other.html", "<!DOCTYPE html><p>The cat</p>");
  for (const char* name : {"a.html", "renamed.txt"}) {
    CHECK(is_html_session(directory / name));
    const OpenedFile file = open_any(directory / name);
    CHECK(file.document.layer().temperature == 2.5f);
    CHECK(!file.view.empty());
    CHECK(file.lost.empty());
  }
  CHECK_FALSE(is_html_session(directory / "other.html"));
  CHECK_FALSE(is_html_session(directory / "none.html"));
  CHECK_FALSE(is_html_session(directory.path()));
  CHECK(open_any(directory / "other.html").view.empty());
}

}  // namespace attnscope::html_session_test
