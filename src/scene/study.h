/* Studies: an XML file that names a scene, what to vary in it, what to compare with, and which
 * tables and plots to make of it.
 *
 *   <study title="..." scene="../scenes/bar.xml" set="world.halvings=0; ..." smallest="dt=0.1">
 *     <vary name="method">
 *       <option name="bdf3, strict" set="integrator.method=bdf3; ..."/> ...
 *     </vary>
 *     <vary name="dt" unit="s" path="world.dt" values="0.1 0.05"/>   (or from= to= count= scale=)
 *     <reference method="fehlberg8" tolerance="1e-13"/>              (or set= or file=)
 *     <measure error="positions" repeat="3"/>                        (or "probe" or "energy")
 *     <bisect path="world.dt" unit="s" from="1e-6" to="1" accept="displacement" below="1"/>
 *     <table title="..." rows="method" columns="dt" value="error" note="why they differ">
 *       <given title="published" values="1 2 3" beside="0.05"/>      (the column it stands beside)
 *     </table>
 *     <plot name="work" title="..." x="seconds" y="error" by="method" scale="log">
 *       <mark axis="y" from="1e-3" label="1 mm"/>
 *     </plot>
 *     <plot name="motion" x="time" y="tip.z" by="method" where="dt=0.05"/>
 *   </study>
 *
 * The cases are the product of all options. A change is written as for --set. A reference by method
 * and tolerance is made in one step over the whole duration, with rtol = atol = tolerance. */
#ifndef PL_SCENE_STUDY_H
#define PL_SCENE_STUDY_H

#include "io/xml.h"
#include "pliant/scene.h"

enum {
  PL_MOST_AXES = 6,
  PL_MOST_PLOTS = 32,
  PL_MOST_MARKS = 4,
  PL_MOST_GIVEN = 8,
  PL_MOST_CASES = 100000
};

/* "a.b=1; c.d=2" taken apart. */
typedef struct pl_changes {
  int count;
  const char **texts;
} pl_changes;

typedef struct pl_study_option {
  const char *label;
  double number; /* NaN where the label is no number */
  pl_changes changes;
} pl_study_option;

typedef struct pl_study_axis {
  const char *name, *unit;
  int line, option_count;
  pl_study_option *options;
} pl_study_axis;

typedef enum pl_study_error {
  PL_ERROR_POSITIONS, /* RMS distance of all nodes at the end, m */
  PL_ERROR_PROBE,     /* distance of a probe's value at the end  */
  PL_ERROR_ENERGY     /* difference of the energy at the end, J  */
} pl_study_error;

typedef struct pl_study_mark {
  const char *label;
  int across_x;
  double from, to;
} pl_study_mark;

/* A column of a table that was published: one word per row. */
typedef struct pl_study_given {
  const char *title, *values;
  const char *beside; /* the option of the columns that it is compared with; NULL: none */
} pl_study_given;

typedef struct pl_study_plot {
  const char *name, *title, *x, *y, *by;
  const char *where; /* "method=bdf3": only such cases; NULL: all */
  const char *note;  /* what there is to say of it; NULL: nothing */
  int log_x, log_y, fit, is_table, line;
  int mark_count;
  pl_study_mark marks[PL_MOST_MARKS];
  int given_count;
  pl_study_given given[PL_MOST_GIVEN];
} pl_study_plot; /* a table has rows in x, columns in y, its value in by */

typedef struct pl_study {
  pl_allocator allocator;
  pl_xml *document; /* texts live in it */
  const char *path, *title;
  const char *smallest;    /* "method=bdf3": the cheapest case; NULL: the first */
  pl_changes smallest_set; /* which make that case cheaper still */
  int allow_any_path;
  char scene[4096];
  pl_changes changes;
  pl_changes last; /* after those of a case; none unless a program sets it */
  int axis_count;
  pl_study_axis axes[PL_MOST_AXES];
  int has_reference;
  pl_changes reference;
  const char *reference_file;
  int reference_is_long; /* one step over the whole duration */
  pl_study_error error;
  const char *probe;
  int repeat;
  // the value that is sought by bisection, path NULL if there is none
  struct {
    const char *path, *unit, *accept;
    double from, to, below, ratio;
    int upwards; /* from below, so that nothing smaller that was tried has failed */
  } bisect;
  int plot_count;
  pl_study_plot plots[PL_MOST_PLOTS];
  uint64_t hash; /* of all that the results depend on: not of tables and plots */
  void **owned;  /* memory of the above */
  size_t owned_count, owned_room;
} pl_study;

/* Reads and checks the study itself; whether the changes fit the scene shows when it is loaded. The
 * scene and a reference's file must lie below the study's folder, or in a folder "scenes" beside
 * it, unless any path is allowed. */
pl_status pl_study_load(const pl_allocator *allocator, const char *path, int allow_any_path,
                        pl_study **study, pl_error *error);

/* Where a file lies that the study names; refused if it may not be read. */
pl_status pl_study_path(const pl_study *study, const char *file, char *path, size_t size,
                        pl_error *error);
void pl_study_destroy(pl_study *study);

/* How many cases there are, and which option of each axis a case takes (the last axis is fastest).
 */
int pl_study_cases(const pl_study *study);
void pl_study_case(const pl_study *study, int number, int options[PL_MOST_AXES]);

#endif
