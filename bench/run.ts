/**
 * `npm run bench -- NAME`: runs one of the benchmarks, or draws the charts.
 */
const NAMES = {
  ids: 'IDs of this library and of others',
  segments: 'numbers of segments',
  db: 'rows with this key and other keys in PostgreSQL, MariaDB and SQLite',
  keys: 'bytes, inserts and joins by kind of key, in SQL',
  lease: 'leases in Redis',
  partitions: 'a month of rows removed by DELETE, and by dropping its partition',
  series: 'documents per second with a series',
  service: 'requests to the ID service',
  import: "what import('nestjs-snowflake') costs, now and at an earlier commit",
  charts: 'draws the charts of docs/bench from the results there; --check only compares them',
};

const USAGE = `npm run bench -- [NAME] [options]

${Object.entries(NAMES)
  .map(([name, text]) => `  ${name.padEnd(12)}${text}`)
  .join('\n')}

Without a name, it measures ids. With --quick, a benchmark only shows that it works: it measures nothing, and writes no file.
`;

const [node = '', file = '', ...options] = process.argv;
const [first = 'ids'] = options;
const name = first.startsWith('-') ? 'ids' : first;
if (name === options[0]) options.shift();

if (first === '--help') process.stdout.write(USAGE);
else if (Object.hasOwn(NAMES, name)) {
  process.argv = [node, file, ...options];
  await import(`./${name}/run.js`);
} else {
  process.stderr.write(`There is no benchmark "${name}".\n\n${USAGE}`);
  process.exitCode = 1;
}
