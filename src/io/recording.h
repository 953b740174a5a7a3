/* Recordings: the states of a world, one after the other in a file, exactly as they were. A run
 * writes one to be looked at again; one of a single state is a checkpoint.
 *
 * A head (8 letters, three numbers of 8 bytes, a note of text), then whole states as
 * pl_world_save_state makes them, each with its checksum. Files of a machine with another order of
 * bytes are refused. */
#ifndef PL_IO_RECORDING_H
#define PL_IO_RECORDING_H

#include "core/text.h"
#include "pliant/world.h"

#define PL_RECORDING_EXTENSION "plr"

/* Adds the head, and a state behind it. The note is for those who read it. */
void pl_recording_begin(pl_text *out, const pl_world *world, const char *note);
pl_status pl_recording_add(pl_text *out, const pl_world *world, pl_error *error);

typedef struct pl_recording pl_recording;

pl_status pl_recording_open(const char *path, const pl_allocator *allocator,
                            pl_recording **recording, pl_error *error);
void pl_recording_close(pl_recording *recording);

const char *pl_recording_note(const pl_recording *recording);
/* Whole states; what a killed program left half written does not count. */
int pl_recording_count(const pl_recording *recording);

/* Puts the world into the state of that number. Fails where the file is of another world. */
pl_status pl_recording_load(pl_recording *recording, int index, pl_world *world, pl_error *error);

#endif
