#include "dist/mpi_start.h"

#include "core/error.h"
#include "core/text.h"
#include "dist/dist.h"

#include <petscsys.h>
#include <stdio.h>
#include <string.h>

pl_status pl_petsc_start(pl_error *error)
{
  // signals and errors stay the caller's, and no file of the user changes results
  char words[][24] = {"pliant", "-no_signal_handler", "-skip_petscrc", "-options_left", "no"};
  int count = sizeof words / sizeof *words;
  char *arguments[sizeof words / sizeof *words + 1] = {0}, **list = arguments;
  PetscBool is_there = PETSC_FALSE;
  for (int i = 0; i < count; i++) arguments[i] = words[i];
  if (PetscInitialized(&is_there) || is_there) return PL_OK;
  if (PetscInitialize(&count, &list, NULL, NULL))
    return pl_fail(error, PL_E_UNSUPPORTED, "PETSc cannot be started");
  PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
  return PL_OK;
}

void pl_petsc_end(void)
{
  PetscBool is_there = PETSC_FALSE;
  if (!PetscInitialized(&is_there) && is_there) PetscFinalize();
}

/* ---- options ---- */

/* Those of solvers; none that views, writes or reads. */
static int is_allowed(const char *name)
{
  static const char *const begins[] = {"-ksp_", "-pc_", "-mg_", "-sub_", "-mat"};
  static const char *const refused[] = {"view", "monitor", "file", "log", "save", "load", "draw"};
  int allowed = 0;
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
    allowed |= strncmp(name, begins[i], strlen(begins[i])) == 0;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    allowed &= strstr(name, refused[i]) == NULL;
  return allowed;
}

pl_status pl_petsc_set_options(int reproducible, pl_error *error)
{
  static const char *const names[] = {"-matptap_via", "-matstash_reproduce", "-sub_pc_type"};
  static const char *const values[] = {"allatonce", "true", "icc"};
  for (int i = reproducible ? 0 : 2; i < 3; i++) {
    PetscBool is_given = PETSC_FALSE;
    int failed = PetscOptionsHasName(NULL, NULL, names[i], &is_given) ||
                 (!is_given && PetscOptionsSetValue(NULL, names[i], values[i]));
    if (failed) return pl_fail(error, PL_E_LIMIT, "PETSc refuses the option %s", names[i]);
  }
  return PL_OK;
}

pl_status pl_dist_options(const char *text, pl_error *error)
{
  char name[128], value[128];
  pl_status status = pl_petsc_start(error);
  for (int length; !status && *(text += strspn(text, " ")); text += length) {
    length = 0;
    if (sscanf(text, "%127s%n", name, &length) != 1 || name[0] != '-' || !is_allowed(name))
      return pl_fail(error, PL_E_ARGUMENT,
                     "the option \"%.60s\" cannot be given to PETSc; those that begin with -ksp_, "
                     "-pc_, -mg_, -sub_ or -mat can, unless they view or write something",
                     name);
    const char *rest = text + length + strspn(text + length, " ");
    int more = 0;
    value[0] = 0;
    // a number may be negative; another option begins with a letter
    int is_value = *rest && !(rest[0] == '-' && !(rest[1] >= '0' && rest[1] <= '9'));
    if (is_value && sscanf(rest, "%127s%n", value, &more) == 1) length = (int)(rest - text) + more;
    if (PetscOptionsSetValue(NULL, name, is_value ? value : NULL))
      status = pl_fail(error, PL_E_ARGUMENT, "PETSc refuses the option %s", name);
  }
  return status;
}
