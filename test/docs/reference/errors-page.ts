import { pagePath } from '../pages.js';
import type { EntryPointExports } from './entry-points.js';
import { type ErrorFacts, errorsOf } from './error-facts.js';
import { filled, template } from './template.js';

/** Where a reader finds more about an error. */
const MORE: Readonly<Record<string, string>> = {
  SNOWFLAKE_INVALID_OPTION: '[Options](options.md)',
  SNOWFLAKE_INVALID_ID: '[Validation and HTTP](../guides/validation-and-http.md)',
  SNOWFLAKE_TIMESTAMP_EXHAUSTED: '[Layouts](layouts.md#the-end-of-a-layout)',
  SNOWFLAKE_CLOCK_ROLLBACK: '[Clock rollback](../explanation/clock-rollback.md)',
  SNOWFLAKE_STOPPED: '[Shutdown](../guides/shutdown.md)',
  SNOWFLAKE_WORKER_IDS_EXHAUSTED: '[Production checklist](../operations/production-checklist.md)',
  SNOWFLAKE_STORE_REJECTED: '[Redis](../stores/redis.md), [SQL](../stores/sql.md)',
  SNOWFLAKE_SEGMENT_EXHAUSTED: '[Segments](../guides/segments.md)',
  SNOWFLAKE_UNKNOWN_TAG: '[Segments](../guides/segments.md)',
  SNOWFLAKE_HISTORY_CHANGED: '[Segments](../guides/segments.md#resume-after-a-loss)',
  SNOWFLAKE_DUPLICATE_INSTANCE: '[Several instances](../guides/several-instances.md)',
  SNOWFLAKE_UNKNOWN_INSTANCE: '[Several instances](../guides/several-instances.md)',
  SNOWFLAKE_MISSING_SUBSCRIBER: '[TypeORM](../guides/typeorm.md)',
  SNOWFLAKE_UNBOUND_MAKER: '[Other ORMs](../guides/other-orms.md)',
  SNOWFLAKE_LOSSY_DRIVER: '[TypeORM](../guides/typeorm.md) or [Other ORMs](../guides/other-orms.md)',
  SNOWFLAKE_COLUMN_TYPE: '[Migrating from auto-increment](../guides/migrating-from-auto-increment.md)',
  SNOWFLAKE_COLUMN_DROP: '[Migrating from auto-increment](../guides/migrating-from-auto-increment.md)',
  SNOWFLAKE_SERIES_TRANSACTION: '[Document numbers](../guides/document-numbers.md)',
  SNOWFLAKE_SERIES_CONFLICT: '[Document numbers](../guides/document-numbers.md)',
  SNOWFLAKE_SERIES_EXHAUSTED: '[Document numbers](../guides/document-numbers.md#write-a-format)',
  SNOWFLAKE_UNKNOWN_SERIES_NUMBER: '[Document numbers](../guides/document-numbers.md#find-gaps)',
  SNOWFLAKE_VOIDED_SERIES_NUMBER: '[Document numbers](../guides/document-numbers.md#find-gaps)',
  SNOWFLAKE_INVALID_DATE: '[Document numbers](../guides/document-numbers.md#write-a-format)',
};

/**
 * Returns the page of errors, as Markdown that is not formatted yet. A placeholder names the file that declares the
 * classes: `<!-- errors input-errors.ts -->`.
 */
export function errorsPage(exports: EntryPointExports): string {
  const errors = errorsOf(exports);
  return filled(template('errors'), {
    codes: () => overview(errors),
    errors: (file) =>
      errors
        .filter((error) => error.file === file)
        .map(sectionOf)
        .join('\n\n'),
  });
}

function overview(errors: readonly ErrorFacts[]): string {
  const rows = errors.map(
    ({ code, className, retryable }) =>
      `| [\`${code}\`](#${code.toLowerCase()}) | \`${className}\` | ${retryable ? 'yes' : 'no'} |`,
  );
  return ['| Code | Class | Retryable |', '| --- | --- | --- |', ...rows].join('\n');
}

function sectionOf({
  code,
  className,
  retryable,
  entryPoints,
  when,
  whatToDo,
  properties,
}: ErrorFacts): string {
  const more = MORE[code];
  return [
    `### ${code}`,
    when,
    `**What to do:** ${withLinks(whatToDo)}${more === undefined ? '' : ` See ${more}.`}`,
    [
      `- Class: \`${className}\`, ${retryable ? 'retryable' : 'not retryable'}`,
      `- Exported from: ${entryPoints.map((entryPoint) => `\`${entryPoint}\``).join(', ')}`,
      ...(properties.length > 0 ? [`- Properties: ${properties.map((one) => `\`${one}\``).join(', ')}`] : []),
    ].join('\n'),
  ].join('\n\n');
}

/** Links to the pages that a text names by their titles, as the other pages do. */
function withLinks(text: string): string {
  return text.replaceAll(/"([^"]+)" in the documentation/g, (named, title: string) => {
    const path = pagePath(title);
    return path === undefined ? named : `[${title}](${path.replace(/^docs/, '..')})`;
  });
}
