import type { TextSchema } from 'nestjs-snowflake/internal/kit/schema';

/** The name of a tag. */
export const TAG: TextSchema = { type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,128}$' };
/** The token of a segment, as the column for it holds one. */
export const TOKEN: TextSchema = { type: 'string', pattern: '^[\\x20-\\x7e]{1,64}$' };

/** What messages to a client call the patterns above. */
export const FORMS: ReadonlyMap<unknown, string> = new Map([
  [TAG['pattern'], '1 to 128 letters, digits, "_", ".", ":" or "-"'],
  [TOKEN['pattern'], '1 to 64 printable ASCII characters'],
]);
