/* The files of the page, inside the program. viewer/build.mjs writes the list. */
#ifndef PL_VIEW_ASSET_H
#define PL_VIEW_ASSET_H

#include <stddef.h>

typedef struct pl_asset {
  const char *path, *type; /* "/app.js", "text/javascript" */
  const unsigned char *data;
  size_t size;
} pl_asset;

/* Ends with an unnamed one. */
extern const pl_asset pl_assets[];

#endif
