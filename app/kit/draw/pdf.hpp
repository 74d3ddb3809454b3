// app/kit/draw: pictures as the pages of a PDF file, by libharu.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/kit/draw/image.hpp"

namespace attnscope {

class PdfPages {
 public:
  /// `title`: of the file, as readers show it. Throws Error where there is too little memory, as all of these
  /// do.
  explicit PdfPages(std::string_view title);
  ~PdfPages();
  PdfPages(PdfPages&&) noexcept;
  PdfPages& operator=(PdfPages&&) noexcept;

  /// One more A4 page, upright or lying as the picture is, which fills it but for a margin of 8 mm; `name`
  /// stands in the reader's list of pages.
  void add(const Image&, std::string_view name);
  std::size_t size() const;
  /// The bytes of the file: the same for the same pages, without the time. Throws Error without a page.
  std::string finish();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace attnscope
