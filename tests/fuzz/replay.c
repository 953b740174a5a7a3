/* Runs a fuzz target over every file of the folders and files named on the command line. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replayed;

static int replay_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file) return -1;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  // the buffer has exactly the file's size, so that reading past it is caught
  uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
  size_t count = data && size > 0 ? fread(data, 1, (size_t)size, file) : 0;
  fclose(file);
  if (data) LLVMFuzzerTestOneInput(data, count);
  free(data);
  replayed++;
  return 0;
}

static int replay_folder(const char *path)
{
  DIR *folder = opendir(path);
  if (!folder) return replay_file(path);
  int failed = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    char name[4096];
    if (entry->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    failed |= replay_folder(name);
  }
  closedir(folder);
  return failed;
}

int main(int count, char **arguments)
{
  int failed = 0;
  for (int i = 1; i < count; i++) failed |= replay_folder(arguments[i]);
  printf("%d files replayed\n", replayed);
  return failed || replayed == 0;
}
