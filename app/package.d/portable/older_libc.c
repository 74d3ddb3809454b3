/* What libstdc++.a, libgcc_eh.a and libexpat.a of Debian 12 want of a C library younger than glibc 2.31. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* glibc 2.32. Threads are always reckoned with. */
char __libc_single_threaded = 0;

/* glibc 2.35: which loaded object holds `pc`, and where its table of frames is. libgcc_eh asks nothing else, so that
   every exception goes through here. */
struct Search {
  ElfW(Addr) pc;
  struct dl_find_object* found;
};

static int holds(struct dl_phdr_info* object, size_t size, void* data) {
  const struct Search* search = data;
  ElfW(Addr) frames = 0, begin = ~(ElfW(Addr))0, end = 0;
  int is_inside = 0;
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    const ElfW(Addr) start = object->dlpi_addr + part->p_vaddr, stop = start + part->p_memsz;
    if (part->p_type == PT_GNU_EH_FRAME) frames = start;
    if (part->p_type != PT_LOAD) continue;
    if (search->pc >= start && search->pc < stop) is_inside = 1;
    if (start < begin) begin = start;
    if (stop > end) end = stop;
  }
  if (!is_inside || !frames) return 0;
  memset(search->found, 0, sizeof *search->found);
  search->found->dlfo_map_start = (void*)begin;
  search->found->dlfo_map_end = (void*)end;
  search->found->dlfo_eh_frame = (void*)frames;
  return 1;
}

int _dl_find_object(void* pc, struct dl_find_object* found) {
  struct Search search = {(ElfW(Addr))pc, found};
  return dl_iterate_phdr(holds, &search) == 1 ? 0 : -1;
}

/* glibc 2.36. */
void arc4random_buf(void* bytes, size_t size) {
  char* at = bytes;
  while (size) {
    const size_t part = size < 256 ? size : 256; /* the most that getentropy gives */
    if (getentropy(at, part)) abort();
    at += part;
    size -= part;
  }
}

/* glibc 2.36: std::random_device of libstdc++.a asks it. */
uint32_t arc4random(void) {
  uint32_t number;
  arc4random_buf(&number, sizeof number);
  return number;
}
