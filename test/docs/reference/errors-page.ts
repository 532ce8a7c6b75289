import type { DoorExports } from './doors.js';
import { type ErrorFacts, errorsOf } from './error-facts.js';

const HEAD = `# Errors

<!-- Written by "npm run docs:reference" from the TSDoc of the error classes. Edit that, or the texts in test/docs/reference. -->

Every error of the library extends \`SnowflakeError\`, and so \`Error\`.

- \`code\` is stable across releases. Match on it. The \`message\` is for people and may change.
- \`retryable\` says whether the same call can succeed later, without any other change.
- \`cause\` is a copy of the driver's error with its name, code, message and stack only.
- The class has the name of the code: \`SNOWFLAKE_LEASE_EXHAUSTED\` is a \`LeaseExhaustedError\`.
- No error, event, log line, status or printed object of the library contains a password or a key.

In an HTTP API, check IDs where they come in, and respond with 400 to an invalid one. Of the errors that remain, respond with
503 to the retryable ones and to \`SNOWFLAKE_STOPPED\`, and with 500 to the others.
[Validation and HTTP](../guides/validation-and-http.md) has the pipe, the validator and the exception filter.
[Troubleshooting](../operations/troubleshooting.md) goes from a code to its causes.`;

const GROUPS: Readonly<Record<string, string>> = {
  'input-errors.ts': 'Invalid input',
  'issuing-errors.ts': 'When the maker issues IDs',
  'lease-errors.ts': 'When the maker leases a worker ID',
  'setup-errors.ts': 'When the app is set up',
};

/** Where a reader finds more about an error. */
const MORE: Readonly<Record<string, string>> = {
  SNOWFLAKE_INVALID_OPTION: '[Options](options.md)',
  SNOWFLAKE_INVALID_ID: '[Validation and HTTP](../guides/validation-and-http.md)',
  SNOWFLAKE_TIMESTAMP_EXHAUSTED: '[Layouts](layouts.md#the-end-of-a-layout)',
  SNOWFLAKE_CLOCK_ROLLBACK: '[Clock rollback](../explanation/clock-rollback.md)',
  SNOWFLAKE_STOPPED: '[Shutdown](../guides/shutdown.md)',
  SNOWFLAKE_LEASE_EXHAUSTED: '[Failure modes](../operations/failure-modes.md)',
  SNOWFLAKE_WORKER_IDS_EXHAUSTED: '[Production checklist](../operations/production-checklist.md)',
  SNOWFLAKE_STORE_REJECTED: '[Redis](../stores/redis.md), [SQL](../stores/sql.md)',
  SNOWFLAKE_DUPLICATE_INSTANCE: '[Several instances](../guides/several-instances.md)',
  SNOWFLAKE_UNKNOWN_INSTANCE: '[Several instances](../guides/several-instances.md)',
  SNOWFLAKE_MISSING_SUBSCRIBER: '[TypeORM](../guides/typeorm.md)',
  SNOWFLAKE_LOSSY_DRIVER: '[TypeORM](../guides/typeorm.md)',
  SNOWFLAKE_COLUMN_TYPE: '[Migrating from auto-increment](../guides/migrating-from-auto-increment.md)',
  SNOWFLAKE_COLUMN_DROP: '[Migrating from auto-increment](../guides/migrating-from-auto-increment.md)',
};

/** Returns the page of errors, as Markdown that is not formatted yet. */
export function errorsPage(exports: DoorExports): string {
  const errors = errorsOf(exports);
  const groups = Object.entries(GROUPS).flatMap(([file, heading]) => [
    `## ${heading}`,
    ...errors.filter((error) => error.file === file).map(sectionOf),
  ]);
  return [HEAD, '## All codes', overview(errors), ...groups].join('\n\n');
}

function overview(errors: readonly ErrorFacts[]): string {
  const rows = errors.map(
    ({ code, className, retryable }) =>
      `| [\`${code}\`](#${code.toLowerCase()}) | \`${className}\` | ${retryable ? 'yes' : 'no'} |`,
  );
  return ['| Code | Class | Retryable |', '| --- | --- | --- |', ...rows].join('\n');
}

function sectionOf({ code, className, retryable, doors, when, whatToDo, properties }: ErrorFacts): string {
  const more = MORE[code];
  return [
    `### ${code}`,
    when,
    `**What to do:** ${whatToDo}${more === undefined ? '' : ` See ${more}.`}`,
    [
      `- Class: \`${className}\`, ${retryable ? 'retryable' : 'not retryable'}`,
      `- Exported from: ${doors.map((door) => `\`${door}\``).join(', ')}`,
      ...(properties.length > 0 ? [`- Properties: ${properties.map((one) => `\`${one}\``).join(', ')}`] : []),
    ].join('\n'),
  ].join('\n\n');
}
