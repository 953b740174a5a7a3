/* Numbers on disk: see store.c. */
#ifndef PL_BODY_STORE_H
#define PL_BODY_STORE_H

#include "model/model.h"

/* A store that keeps its files in a folder; both arguments must outlive it. */
pl_store pl_store_make(const pl_allocator *allocator, const char *folder);

#endif
