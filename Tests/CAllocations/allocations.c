// Counts heap allocations of the calling thread by standing in front of glibc's allocator.
#include "CAllocations.h"

#include <errno.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED

uint64_t adit_allocation_count(void) { return 0; }
bool adit_allocations_are_counted(void) { return false; }

#else

static __thread uint64_t count;

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) { return count++, __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return count++, __libc_calloc(n, size); }
void *realloc(void *old, size_t size) { return count++, __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) {
  return count++, __libc_memalign(alignment, size);
}
int posix_memalign(void **result, size_t alignment, size_t size) {
  count++;
  *result = __libc_memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}

uint64_t adit_allocation_count(void) { return count; }
bool adit_allocations_are_counted(void) { return true; }

#endif
