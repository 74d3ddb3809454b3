// tests: what kernels became, read from the cubins themselves: registers, local memory and instructions of
// each, a line for each kernel and file. cubins FILE.cubin …
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// Instructions are 128 bits from Volta on; the lowest 12 say which.
constexpr unsigned hmma = 0x23c, ldsm = 0x83b, ldgsts = 0xfae, stl = 0x387, ldl = 0x983, hgmma = 0x9f0,
                   hgmma_of_registers = 0xdf0, ublkcp = 0x3ba;

struct Kernel {
  unsigned registers = 0, frame = 0;  // frame: bytes of local memory of a thread
  std::map<unsigned, int> instructions;
  int all = 0;
  int count(unsigned which) const {
    const auto found = instructions.find(which);
    return found == instructions.end() ? 0 : found->second;
  }
};

template <class T>
T at(const std::string& file, std::size_t offset) {
  if (offset + sizeof(T) > file.size()) throw std::runtime_error("the file ends early");
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

/// "RowKernel MatrixUnits 64 true" of attnscope::gpu::(anonymous)::entry<RowKernel<MatrixUnits<64>,
/// true>>(…).
std::string short_name(const std::string& mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? text : mangled;
  std::free(text);
  const std::size_t from = name.find("entry<");
  if (from != std::string::npos) name = name.substr(from + 6, name.rfind('(') - from - 6);
  name = std::regex_replace(name,
                            std::regex("attnscope::gpu::|\\(bool\\)|::Pass|\\(anonymous namespace\\)::"), "");
  name = std::regex_replace(name, std::regex("[<>, ()]+"), " ");
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name;
}

/// 90 for sm_90: where the ELF header says it depends on the version of NVIDIA's ABI.
unsigned arch_of(const std::string& file) {
  const auto header = at<Elf64_Ehdr>(file, 0);
  return (header.e_ident[EI_ABIVERSION] >= 8 ? header.e_flags >> 8 : header.e_flags) & 0xff;
}

std::map<std::string, Kernel> kernels_of(const std::string& file) {
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) throw std::runtime_error("this is no ELF file");
  std::vector<Elf64_Shdr> sections;
  for (std::size_t i = 0; i < header.e_shnum; ++i)
    sections.push_back(at<Elf64_Shdr>(file, header.e_shoff + i * header.e_shentsize));
  const auto text = [&](const Elf64_Shdr& table, std::size_t offset) {
    return std::string(file.c_str() + table.sh_offset + offset);
  };
  const auto name_of = [&](const Elf64_Shdr& section) {
    return text(sections.at(header.e_shstrndx), section.sh_name);
  };
  std::map<std::string, Kernel> kernels;
  const Elf64_Shdr* symbols = nullptr;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type == SHT_SYMTAB) symbols = &section;
    const std::string name = name_of(section);
    if (name.rfind(".text.", 0) != 0) continue;
    Kernel& kernel = kernels[name.substr(6)];
    for (std::size_t i = 0; i + 16 <= section.sh_size; i += 16) {
      ++kernel.instructions[at<std::uint64_t>(file, section.sh_offset + i) & 0xfff];
      ++kernel.all;
    }
  }
  if (symbols == nullptr) throw std::runtime_error("the cubin has no symbols");
  // .nv.info: entries of a form, an attribute and, in form 4, so many bytes: here a symbol and a number.
  constexpr unsigned char sized = 4, register_count = 0x2f, frame_size = 0x11;
  for (const Elf64_Shdr& section : sections) {
    if (name_of(section) != ".nv.info") continue;
    for (std::size_t i = section.sh_offset; i + 4 <= section.sh_offset + section.sh_size;) {
      const auto form = at<unsigned char>(file, i), attribute = at<unsigned char>(file, i + 1);
      const std::size_t size = form == sized ? at<std::uint16_t>(file, i + 2) : 0;
      if (form == sized && (attribute == register_count || attribute == frame_size)) {
        const auto symbol =
            at<Elf64_Sym>(file, symbols->sh_offset + at<std::uint32_t>(file, i + 4) * sizeof(Elf64_Sym));
        const auto found = kernels.find(text(sections.at(symbols->sh_link), symbol.st_name));
        const auto number = at<std::uint32_t>(file, i + 8);
        if (found != kernels.end())
          (attribute == frame_size ? found->second.frame : found->second.registers) = number;
      }
      i += 4 + size;
    }
  }
  return kernels;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    try {
      std::ifstream stream(argv[i], std::ios::binary);
      const std::string file{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
      for (const auto& [name, k] : kernels_of(file))
        std::printf(
            "%u %s registers %u frame %u instructions %d HMMA %d LDSM %d LDGSTS %d HGMMA %d UBLKCP %d STL %d "
            "LDL %d\n",
            arch_of(file), short_name(name).c_str(), k.registers, k.frame, k.all, k.count(hmma),
            k.count(ldsm), k.count(ldgsts), k.count(hgmma) + k.count(hgmma_of_registers), k.count(ublkcp),
            k.count(stl), k.count(ldl));
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s: %s\n", argv[i], e.what());
      return 1;
    }
  }
}
