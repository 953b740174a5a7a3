/* CSV: a row for every node with time, number, place and the nodes' fields, named in the first row.
 * For tables and scripts; it is only written. */
#include "io/format.h"

#include <math.h>

static void print_head(const pl_snapshot *snapshot, pl_text *text)
{
  pl_text_add(text, "time,node,x,y,z");
  for (int i = 0; i < snapshot->field_count; i++) {
    const pl_field *field = &snapshot->fields[i];
    for (int k = 0; k < field->width && !field->of_elements; k++)
      pl_text_add(text, field->width > 1 ? ",%s_%c" : ",%s", field->name, "xyz"[k]);
  }
  pl_text_add(text, "\n");
}

static void print_row(const pl_snapshot *snapshot, const double *positions, int node, pl_text *text)
{
  pl_text_number(text, isnan(snapshot->time) ? 0 : snapshot->time);
  pl_text_add(text, ",%d", node);
  for (int k = 0; k < 3; k++) {
    pl_text_add(text, ",");
    pl_text_number(text, positions[3 * (size_t)node + (size_t)k]);
  }
  for (int i = 0; i < snapshot->field_count; i++) {
    const pl_field *field = &snapshot->fields[i];
    for (int k = 0; k < field->width && !field->of_elements; k++) {
      pl_text_add(text, ",");
      pl_text_number(text, field->data[(size_t)(field->width * node) + (size_t)k]);
    }
  }
  pl_text_add(text, "\n");
}

static pl_status csv_write(const pl_snapshot *snapshot, const char *path, const double *values,
                           pl_error *error)
{
  (void)values;
  const double *positions =
      snapshot->positions ? snapshot->positions : pl_mesh_nodes(snapshot->mesh);
  pl_text text = pl_text_make(NULL);
  print_head(snapshot, &text);
  for (int i = 0; i < pl_mesh_node_count(snapshot->mesh); i++)
    print_row(snapshot, positions, i, &text);
  pl_status status = pl_text_ok(&text, error);
  if (!status) status = pl_file_write_frame(path, text.data, text.size, error);
  pl_text_release(&text);
  return status;
}

const pl_format_ops pl_format_csv = {
    .info = {"csv", "a table of the nodes: time, number, place, displacement, velocity", "", NULL,
             0, NULL},
    .extensions = "csv",
    .write = csv_write,
};
