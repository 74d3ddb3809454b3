#include "app/kit/draw/pdf.hpp"

#include <algorithm>
#include <hpdf.h>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.hpp"

namespace attnscope {
namespace {

constexpr float a4_short = 595.276f, a4_long = 841.890f, page_margin = 22.677f;  // points of 1/72 inch

}  // namespace

struct PdfPages::File {
  // libharu keeps its first error and does nothing after it.
  HPDF_Doc document = HPDF_New(nullptr, nullptr);
  std::size_t pages = 0;

  File() = default;
  ~File() { HPDF_Free(document); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void check() const {
    if (document == nullptr) throw Error("The PDF could not be made; there is too little memory.");
    if (const HPDF_STATUS wrong = HPDF_GetError(document); wrong != HPDF_OK)
      throw Error(fmt::format("The PDF could not be made: libharu says {:#x}.", wrong));
  }
};

PdfPages::PdfPages(std::string_view title) : file_(std::make_unique<File>()) {
  file_->check();
  HPDF_SetCompressionMode(file_->document, HPDF_COMP_ALL);
  HPDF_UseUTFEncodings(file_->document);
  HPDF_SetCurrentEncoder(file_->document, "UTF-8");
  HPDF_SetInfoAttr(file_->document, HPDF_INFO_TITLE, std::string(title).c_str());
  HPDF_SetInfoAttr(file_->document, HPDF_INFO_CREATOR, "AttnScope");
  HPDF_SetPageMode(file_->document, HPDF_PAGE_MODE_USE_OUTLINE);
  file_->check();
}
PdfPages::~PdfPages() = default;
PdfPages::PdfPages(PdfPages&&) noexcept = default;
PdfPages& PdfPages::operator=(PdfPages&&) noexcept = default;

std::size_t PdfPages::size() const { return file_->pages; }

void PdfPages::add(const Image& image, std::string_view name) {
  if (image.width <= 0 || image.height <= 0) throw Error("A picture without pixels is no page of a PDF.");
  std::vector<HPDF_BYTE> bytes(image.pixels.size() * 3);
  auto* to = bytes.data();
  for (const Rgba pixel : image.pixels)
    for (int channel = 0; channel < 3; ++channel)
      *to++ = static_cast<HPDF_BYTE>(pixel >> (8 * channel) & 255);
  const HPDF_Image picture =
      HPDF_LoadRawImageFromMem(file_->document, bytes.data(), static_cast<HPDF_UINT>(image.width),
                               static_cast<HPDF_UINT>(image.height), HPDF_CS_DEVICE_RGB, 8);
  const HPDF_Page page = HPDF_AddPage(file_->document);
  const bool lies = image.width > image.height;
  const float wide = lies ? a4_long : a4_short, high = lies ? a4_short : a4_long;
  HPDF_Page_SetWidth(page, wide);
  HPDF_Page_SetHeight(page, high);
  const auto width = static_cast<float>(image.width), height = static_cast<float>(image.height);
  const float scale = std::min((wide - 2 * page_margin) / width, (high - 2 * page_margin) / height);
  HPDF_Page_DrawImage(page, picture, (wide - width * scale) / 2, (high - height * scale) / 2, width * scale,
                      height * scale);
  const HPDF_Outline line = HPDF_CreateOutline(file_->document, nullptr, std::string(name).c_str(),
                                               HPDF_GetEncoder(file_->document, "UTF-8"));
  HPDF_Outline_SetDestination(line, HPDF_Page_CreateDestination(page));
  file_->check();
  ++file_->pages;
}

std::string PdfPages::finish() {
  if (file_->pages == 0) throw Error("A PDF without pages was not written.");
  HPDF_SaveToStream(file_->document);
  file_->check();
  std::string bytes(HPDF_GetStreamSize(file_->document), '\0');
  HPDF_ResetStream(file_->document);
  auto size = static_cast<HPDF_UINT32>(bytes.size());
  HPDF_ReadFromStream(file_->document, reinterpret_cast<HPDF_BYTE*>(bytes.data()), &size);
  bytes.resize(size);
  return bytes;
}

}  // namespace attnscope
