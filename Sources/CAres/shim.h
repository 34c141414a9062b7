// c-ares, and the record types that its callers name.
#include <ares.h>
#include <arpa/nameser.h>
