// core/files/document: the session inside an HTML page that AttnScope wrote (app/exports/html): the JSON of a
// session file in a script element, as text, or deflated if it is long.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace attnscope {

/// Whether AttnScope wrote the file as an HTML page, judged by its first bytes, not by its name. False if it
/// cannot be read.
bool is_html_session(const std::filesystem::path&);

/// The JSON in a page. Throws Error that names `where` when the page has none or it is damaged.
std::string session_in_html(std::string_view html, const std::string& where);

/// The script element with the JSON as text: `<` is written as its escape, every other byte is kept.
std::string html_session_element(std::string_view json);
/// The script element with packed JSON: `zlib` (RFC 1950) is the compressed form of `bytes` bytes.
std::string packed_session_element(std::string_view zlib, std::size_t bytes);

/// The same JSON value without any "<", as a script element needs it.
std::string json_in_html(std::string_view json);

}  // namespace attnscope
