/* FOLDER/paraview.py: a state as Python, which ParaView opens by "File, Load State", and by
 * "paraview --state=FOLDER/paraview.py". It finds the series beside itself. */
#include "paraview.h"

#include "core/error.h"
#include "core/file.h"

#include <stdio.h>
#include <string.h>

#define CLI_STATE "paraview.py"

static const char state[] =
    "# A state for ParaView: File > Load State, or paraview --state=paraview.py\n"
    "import glob, os\n"
    "from paraview.simple import *\n"
    "\n"
    "try:\n"
    "    folder = os.path.dirname(os.path.abspath(__file__))\n"
    "except NameError:\n"
    "    folder = os.getcwd()\n"
    "view = GetActiveViewOrCreate('RenderView')\n"
    "readers = []\n"
    "for path in sorted(glob.glob(os.path.join(folder, '*.pvd'))):\n"
    "    readers.append(PVDReader(registrationName=os.path.basename(path), FileName=path))\n"
    "for path in sorted(glob.glob(os.path.join(folder, '*.xdmf'))):\n"
    "    readers.append(Xdmf3ReaderS(registrationName=os.path.basename(path), FileName=[path]))\n"
    "for reader in readers:\n"
    "    reader.UpdatePipeline()\n"
    "    display = Show(reader, view)\n"
    "    display.Representation = 'Surface'\n"
    "    cells = [array.Name for array in reader.CellData]\n"
    "    points = [array.Name for array in reader.PointData]\n"
    "    for where, names in (('CELLS', cells), ('POINTS', points)):\n"
    "        found = [name for name in names if 'mises' in name.lower()]\n"
    "        if found:\n"
    "            ColorBy(display, (where, found[0]))\n"
    "            display.RescaleTransferFunctionToDataRangeOverTime()\n"
    "            display.SetScalarBarVisibility(view, True)\n"
    "            break\n"
    "GetAnimationScene().UpdateAnimationUsingDataTimeSteps()\n"
    "view.CameraPosition, view.CameraFocalPoint, view.CameraViewUp = [1, -3, 1], [0, 0, 0], [0, 0, "
    "1]\n"
    "ResetCamera(view)\n"
    "Render(view)\n";

/* Does ParaView read the series by itself? */
static int is_shown(const pl_series *series)
{
  const char *end = strrchr(pl_series_path(series), '.');
  return end && (strcmp(end, ".pvd") == 0 || strcmp(end, ".xdmf") == 0);
}

pl_status cli_paraview_write(const cli_frames *frames, const char *folder, pl_error *error)
{
  int shown = 0;
  char path[4096];
  for (int i = 0; i < frames->series_count; i++) shown |= is_shown(frames->series[i].series);
  if (!shown) return PL_OK;
  snprintf(path, sizeof path, "%s/" CLI_STATE, folder);
  return pl_file_write(path, state, sizeof state - 1, error);
}
