/* Checks vectors from standard input against C's int64_t. Prints what differs, and how many were checked. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FIELDS 8

static void binary_digits(int64_t id, char digits[65]) {
  for (int bit = 63; bit >= 0; bit--) digits[63 - bit] = (char)('0' + (((uint64_t)id >> bit) & 1));
  digits[64] = '\0';
}

static void compare(const char *name, const char *form, const char *said, const char *wanted) {
  if (strcmp(said, wanted) != 0) printf("%s: %s is %s, not %s\n", name, form, said, wanted);
}

int main(void) {
  char line[1024];
  int checked = 0;
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    const char *name = strtok(line, "\t");
    char *parts = strtok(NULL, "\t");
    const char *decimal = strtok(NULL, "\t");
    const char *hex = strtok(NULL, "\t");
    const char *binary = strtok(NULL, "\t");
    if (!name || !parts || !decimal || !hex || !binary) return 1;

    int widths[MOST_FIELDS];
    int64_t values[MOST_FIELDS];
    int count = 0;
    int64_t id = 0;
    for (char *part = strtok(parts, ","); part && count < MOST_FIELDS; part = strtok(NULL, ",")) {
      char *colon;
      widths[count] = (int)strtol(part, &colon, 10);
      values[count] = strtoll(colon + 1, NULL, 10);
      id = (id << widths[count]) | values[count];
      count++;
    }

    char text[65];
    snprintf(text, sizeof text, "%" PRId64, id);
    compare(name, "decimal", text, decimal);
    snprintf(text, sizeof text, "%016" PRIx64, id);
    compare(name, "hex", text, hex);
    binary_digits(id, text);
    compare(name, "binary", text, binary);

    int64_t rest = strtoll(decimal, NULL, 10);
    for (int at = count - 1; at >= 0; at--) {
      int64_t value = rest & (((int64_t)1 << widths[at]) - 1);
      if (value != values[at]) printf("%s: decodes to %" PRId64 " in field %d\n", name, value, at);
      rest >>= widths[at];
    }
    checked++;
  }
  printf("checked %d\n", checked);
  return 0;
}
