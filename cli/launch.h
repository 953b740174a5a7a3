/* Starts a command again as several processes of this machine. */
#ifndef PL_CLI_LAUNCH_H
#define PL_CLI_LAUNCH_H

/* Becomes "mpirun -n N pliant VERB WORDS" without the option --ranks among the words; returns only
 * where that cannot be, with a code of the command. */
int cli_launch(const char *ranks, const char *verb, int count, char **words);

#endif
