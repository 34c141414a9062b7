#ifndef ADIT_CALLOCATIONS_H
#define ADIT_CALLOCATIONS_H
#include <stdbool.h>
#include <stdint.h>

/// Heap allocations that the calling thread has made so far; 0 for ever in sanitizer builds.
uint64_t adit_allocation_count(void);
/// False in sanitizer builds, which bring an allocator of their own.
bool adit_allocations_are_counted(void);
#endif
