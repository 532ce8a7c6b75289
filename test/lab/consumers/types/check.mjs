/**
 * Compiles a file that imports entry points, as strict TypeScript with `skipLibCheck: false`. Prints what each compiler has against that
 * file and our declarations, by version and kind of module; what others declare is theirs: node check.mjs <versions> <entry point>…
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { version: nest } = JSON.parse(readFileSync('node_modules/@nestjs/common/package.json', 'utf8'));
const require = createRequire(import.meta.url);
const OURS = /^use\.|node_modules\/nestjs-snowflake/;
const SHARED = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  lib: ['es2023'],
  types: ['node'],
  skipLibCheck: false,
};
const KINDS = [
  { name: 'node16, ES module', file: 'use.mts', module: 'node16', moduleResolution: 'node16' },
  // Nest 12 has ES modules only, which CommonJS can't import with node16.
  nest.startsWith('11.')
    ? { name: 'node16, CommonJS', file: 'use.cts', module: 'node16', moduleResolution: 'node16' }
    : {
        name: 'nodenext, CommonJS',
        file: 'use.cts',
        module: 'nodenext',
        moduleResolution: 'nodenext',
        since: 6,
      },
  { name: 'bundler', file: 'use.ts', module: 'es2022', moduleResolution: 'bundler' },
  { name: 'node10', file: 'use.ts', module: 'commonjs', moduleResolution: 'node10', until: 6 },
];

const [, , versions, ...entryPoints] = process.argv;
const imports = entryPoints.map(
  (name, at) => `import * as e${at} from '${name}';\nexport const u${at} = e${at};\n`,
);
for (const { file } of KINDS) writeFileSync(file, imports.join(''));

/** Up to version 6, a compiler is also a library, which checks single files. */
function problemsByLibrary(version, file, options) {
  const ts = require(`typescript-${version}`);
  const ignored = version === '6' ? { ignoreDeprecations: '6.0' } : {};
  const { options: parsed, errors } = ts.convertCompilerOptionsFromJson({ ...options, ...ignored }, '.');
  const program = ts.createProgram([file], { ...parsed, lib: options.lib.map((each) => `lib.${each}.d.ts`) });
  const ours = program.getSourceFiles().filter(({ fileName }) => OURS.test(fileName));
  const found = ours.flatMap((each) => [
    ...program.getSyntacticDiagnostics(each),
    ...program.getSemanticDiagnostics(each),
  ]);
  return [...errors, ...program.getOptionsDiagnostics(), ...found].map(
    ({ file: place, messageText }) =>
      `${place?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  );
}

function problemsByProgram(version, file, options) {
  writeFileSync('tsconfig.json', JSON.stringify({ compilerOptions: options, files: [file] }));
  try {
    execFileSync(process.execPath, [`node_modules/typescript-${version}/bin/tsc`, '--pretty', 'false'], {
      encoding: 'utf8',
    });
    return [];
  } catch ({ stdout, stderr }) {
    const lines = `${stdout}${stderr}`.split('\n').filter((line) => /^\S/.test(line));
    return lines.filter((line) => OURS.test(line) || !line.includes('node_modules'));
  }
}

const found = {};
for (const version of versions.split(',')) {
  const problemsIn = version === '7' ? problemsByProgram : problemsByLibrary;
  for (const { name, file, since = 0, until = 9, ...module } of KINDS) {
    if (Number(version) < since || Number(version) > until) continue;
    found[`${version}: ${name}`] = problemsIn(version, file, { ...SHARED, ...module });
  }
}
process.stdout.write(JSON.stringify(found));
