/** Stops `npm publish` while the manifest still names nobody: a published version cannot be corrected. */
import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const unfinished = ['author', 'homepage', 'repository', 'bugs'].filter((field) => {
  const text = JSON.stringify(manifest[field] ?? '');
  return text === '""' || text.includes('PLACEHOLDER');
});
if (unfinished.length > 0) {
  const fields = unfinished.map((field) => `"${field}"`).join(', ');
  console.error(
    `libs/snowflake/package.json still has placeholders in ${fields}. Replace every PLACEHOLDER there, then publish.`,
  );
  process.exitCode = 1;
}
