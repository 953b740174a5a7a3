/* A state for ParaView beside the frames of a run. */
#ifndef PL_CLI_PARAVIEW_H
#define PL_CLI_PARAVIEW_H

#include "output.h"

/* Writes FOLDER/paraview.py where the run has frames that ParaView reads. */
pl_status cli_paraview_write(const cli_frames *frames, const char *folder, pl_error *error);

#endif
