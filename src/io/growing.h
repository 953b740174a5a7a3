/* An XML file that grows inside its root element and can be read at any moment, however the
 * program that writes it is killed: lists of frames, XDMF.
 *
 * To write over the closing tags is not enough: the system divides a write into pages, and a
 * process that is killed between two of them leaves the file without its end. So the new text is
 * put where readers pass over it, in a processing instruction behind the root, and is uncovered by
 * a write of a few bytes within one page:
 *
 *   1  </end><?next ?>......            blanks may stand there, any number of them
 *   2  </end><?next ?>......<?next ?>   another instruction at their end
 *   3  </end><?next ..........<?next ?> one instruction: the first has lost its end
 *   4  </end><?next <new/></end><?next ?>
 *   5  .............<new/></end><?next ?>
 */
#ifndef PL_IO_GROWING_H
#define PL_IO_GROWING_H

#include "core/text.h"

#include <stdint.h>

enum { PL_GROWING_WRITES = 5, PL_GROWING_PAGE = 4096 };

/* Bytes for a place of a file. */
typedef struct pl_growing_write {
  uint64_t place;
  const char *data;
  size_t size;
} pl_growing_write;

typedef struct pl_growing {
  const char *tail; /* the closing tags */
  uint64_t end;     /* where they begin; 0: there is no file yet */
  // of the growth in hand
  pl_text text, blanks;
  pl_growing_write writes[PL_GROWING_WRITES];
  int write_count;
  uint64_t next_end;
} pl_growing;

pl_growing pl_growing_make(const char *tail, const pl_allocator *allocator);
void pl_growing_release(pl_growing *self);

/* What would be written for this text to be inside the root, in that order; the first text is
 * written as a whole. It has no "?>", which pl_text_xml sees to, but for that of the XML
 * declaration. */
pl_status pl_growing_plan(pl_growing *self, const char *text, size_t size, pl_error *error);

/* Adds the text to the file. On failure it is as before. */
pl_status pl_growing_add(pl_growing *self, const char *path, const char *text, size_t size,
                         pl_error *error);

#endif
