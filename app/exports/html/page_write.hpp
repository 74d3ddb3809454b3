// app/exports/html: the page and what it shows as one HTML file: no library, nothing from a network. A file
// that this wrote opens as the session that it carries, see core/files/document/html_session.hpp.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/exports/html/page_data.hpp"
#include "app/kit/ui/words.hpp"

namespace attnscope {

/// How far the writing is, and whether it is to stop.
struct HtmlProgress {
  std::stop_token stop = {};
  std::function<void(double)> share = {};
};

/// The file's bytes, in the language of `words`, whose code is `language`; the page is that of
/// `assets`/html. Throws Error where that cannot be read, and Cancelled.
std::string html_file(const HtmlPage&, const Words& words, std::string_view language,
                      const std::filesystem::path& assets, const HtmlProgress& progress = {});

/// Text as it may stand in HTML, also between double quotes. What HTML has no character for becomes U+FFFD.
std::string html_escaped(std::string_view text);

}  // namespace attnscope
