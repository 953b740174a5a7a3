/* pliant mesh repair and convert. */
#ifndef PL_CLI_REPAIR_H
#define PL_CLI_REPAIR_H

int cli_mesh_repair(int count, char **words);
int cli_mesh_convert(int count, char **words);
/* What is in a surface file, and what is wrong with it. */
int cli_skin_tell(const char *path);

#endif
