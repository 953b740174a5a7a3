/* Other people's meshers, called as programs and never linked: tetgen (Si 2015) and gmsh (Geuzaine,
 * Remacle 2009). The surface goes to a folder of its own, and the elements come back from it. Both
 * keep the surface's triangles as they are. */
#include "cli.h"
#include "core/error.h"
#include "core/file.h"
#include "core/text.h"
#include "fill.h"
#include "io/format.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct mesher {
  const char *name, *package;
  const char *surface, *result; /* the file it gets, the file it leaves */
} mesher;

static const mesher meshers[] = {{"tetgen", "tetgen", "surface.off", "surface.1.node"},
                                 {"gmsh", "gmsh", "surface.stl", "surface.msh"}};
/* all that the programs leave, and what goes to them */
static const char *const leftovers[] = {"surface.off",
                                        "surface.stl",
                                        "surface.geo",
                                        "surface.msh",
                                        "surface.1.node",
                                        "surface.1.ele",
                                        "surface.1.face",
                                        "surface.1.edge",
                                        "surface.1.smesh",
                                        "surface.1.neigh",
                                        "log"};

static void path_in(const char *folder, const char *file, char path[PATH_MAX])
{
  if (snprintf(path, PATH_MAX, "%s/%s", folder, file) >= PATH_MAX) path[0] = 0;
}

/* Runs a program with its output in a log file. */
static pl_status run(const mesher *m, char *const words[], const char *folder, pl_error *error)
{
  char log[PATH_MAX];
  path_in(folder, "log", log);
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions)) return pl_fail_memory(error);
  posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child;
  int code = posix_spawnp(&child, m->name, &actions, NULL, words, environ), state = 0;
  posix_spawn_file_actions_destroy(&actions);
  if (code == ENOENT)
    return pl_fail(error, PL_E_UNSUPPORTED,
                   "%s is not installed; on Debian: apt-get install %s, or leave out --with",
                   m->name, m->package);
  if (code) return pl_fail(error, PL_E_IO, "cannot start %s: %s", m->name, strerror(code));
  while (waitpid(child, &state, 0) < 0) {
    if (errno != EINTR) return pl_fail(error, PL_E_IO, "lost %s: %s", m->name, strerror(errno));
  }
  return PL_OK;
}

/* The last line of the log that says something went wrong. */
static void last_words(const char *folder, char line[160])
{
  char path[PATH_MAX], text[512];
  path_in(folder, "log", path);
  snprintf(line, 160, "it says nothing");
  FILE *log = fopen(path, "r");
  while (log && fgets(text, sizeof text, log)) {
    text[strcspn(text, "\r\n")] = 0;
    if (strstr(text, "rror") || strstr(text, "ailed") || strstr(text, "ntersect"))
      snprintf(line, 160, "%.150s", text);
  }
  if (log) fclose(log);
}

/* The commands that make gmsh fill the surface. */
static pl_status write_geo(const char *path, double size, pl_error *error)
{
  char text[512];
  int length = snprintf(text, sizeof text,
                        "Merge \"surface.stl\";\nSurface Loop(1) = {1};\nVolume(1) = {1};\n"
                        "Mesh.MeshSizeMax = %.17g;\nMesh.MshFileVersion = 2.2;\n",
                        size);
  return pl_file_write(path, text, (size_t)length, error);
}

static pl_status fill_in(const mesher *m, const char *folder, const pl_skin *skin, double size,
                         pl_mesh **mesh, pl_error *error)
{
  char surface[PATH_MAX], script[PATH_MAX], result[PATH_MAX], quality[64], line[160];
  path_in(folder, m->surface, surface);
  path_in(folder, "surface.geo", script);
  path_in(folder, m->result, result);
  pl_status status = pl_skin_write(skin, surface, error);
  if (status) return status;
  if (m == &meshers[0]) {
    // a lattice tetrahedron of that edge has a volume of size^3 / 12; no nodes on the surface
    snprintf(quality, sizeof quality, "-pYq1.4a%.17gQ", size * size * size / 8);
    char *words[] = {"tetgen", quality, surface, NULL};
    status = run(m, words, folder, error);
  } else {
    status = write_geo(script, size, error);
    char *words[] = {"gmsh", "-3", "-v", "2", script, "-o", result, NULL};
    if (!status) status = run(m, words, folder, error);
  }
  if (status) return status;
  if (access(result, R_OK)) {
    last_words(folder, line);
    return pl_fail(error, PL_E_MESH, "%s made no mesh of the surface: %s", m->name, line);
  }
  return pl_mesh_read(result, NULL, mesh, error);
}

pl_status cli_mesh_with(const char *program, const pl_skin *skin, double size, pl_mesh **mesh,
                        pl_error *error)
{
  *mesh = NULL;
  const mesher *m = strcmp(program, meshers[0].name) == 0   ? &meshers[0]
                    : strcmp(program, meshers[1].name) == 0 ? &meshers[1]
                                                            : NULL;
  if (!m)
    return pl_fail(error, PL_E_ARGUMENT, "--with %s is not known; there is: tetgen, gmsh", program);
  if (skin->facts.open_edges || skin->facts.crowded_edges)
    return pl_fail(error, PL_E_MESH,
                   "the surface has %d open and %d crowded edges, and %s needs a closed one; make "
                   "one with \"pliant mesh surface\"",
                   skin->facts.open_edges, skin->facts.crowded_edges, m->name);
  const char *base = getenv("TMPDIR");
  char folder[PATH_MAX];
  int length = snprintf(folder, sizeof folder, "%s/pliant-XXXXXX", base && base[0] ? base : "/tmp");
  if (length >= (int)sizeof folder || !mkdtemp(folder))
    return pl_fail(error, PL_E_IO, "cannot make a folder like %s: %s", folder, strerror(errno));
  pl_status status = fill_in(m, folder, skin, size, mesh, error);
  for (size_t i = 0; i < sizeof leftovers / sizeof *leftovers; i++) {
    char path[PATH_MAX];
    path_in(folder, leftovers[i], path);
    remove(path);
  }
  rmdir(folder);
  return status;
}
