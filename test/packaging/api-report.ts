// `npm run api-report` writes libs/*/api/<entry point>.api.md: what users of the packages can name, from the built
// declarations. With `--check` it writes nothing, and fails if a report is not current. Both fail if an export has no TSDoc, or if a
// signature names a type that no entry point exports.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { entryPointsOf } from '../support/entry-points.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** It steers the compiler. Nobody has a reason to name it. */
const NOT_FOR_USERS = ['StopsByUsing'];
const DECLARATION = /^export (?:declare )?(?:abstract )?(?:class|interface|type|const|function|enum) (\w+)/gm;
const UNDOCUMENTED = /^\/\/ @\w+ \(undocumented\)\n(?:\/\/.*\n)*(.+)/gm;
const SILENT = { default: { logLevel: ExtractorLogLevel.None } };
const COMPILER_OPTIONS = {
  module: 'nodenext',
  moduleResolution: 'nodenext',
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
  skipLibCheck: true,
};

const localBuild = !process.argv.includes('--check');
const temporary = mkdtempSync(join(tmpdir(), 'snowflake-api-'));
const problems: string[] = [];
/** Each type that a signature names and its own entry point doesn't export, with that entry point. */
const forgotten = new Map<string, string>();
const exported = new Set<string>();

for (const name of [
  'snowflake',
  'snowflake-coordination',
  'snowflake-segments',
  'snowflake-series',
  'snowflake-service',
  'snowflake-console',
]) {
  const folder = join(ROOT, 'libs', name);
  const configs = configsOf(folder);
  const [first] = configs;
  if (first === undefined) throw new Error(`${name} has no entry point`);
  // One program for all entry points, which takes little longer than for one of them.
  const compilerState = CompilerState.create(first);
  for (const config of configs) report(config, compilerState);
  const current = new Set(configs.map(({ reportFilePath }) => basename(reportFilePath)));
  const left = readdirSync(join(folder, 'api')).filter((file) => !current.has(file));
  problems.push(...left.map((file) => `libs/${name}/api/${file} belongs to no entry point. Delete it.`));
}
rmSync(temporary, { recursive: true });

for (const [type, entryPoint] of forgotten) {
  if (exported.has(type) || NOT_FOR_USERS.includes(type)) continue;
  problems.push(`${entryPoint} names ${type}, which no entry point exports.`);
}
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** How each entry point of a package is reported. */
function configsOf(folder: string): ExtractorConfig[] {
  const manifest = join(folder, 'package.json');
  const entryPoints = entryPointsOf(`libs/${basename(folder)}`).map(({ name, esm }) => ({
    name: name.split('/')[1] ?? 'index',
    types: join(folder, esm.replace(/\.js$/, '.d.ts')),
  }));
  const reportFolder = join(folder, 'api');
  mkdirSync(reportFolder, { recursive: true });
  return entryPoints.map(({ name, types }) =>
    ExtractorConfig.prepare({
      packageJsonFullPath: manifest,
      configObjectFullPath: undefined,
      configObject: {
        projectFolder: folder,
        mainEntryPointFilePath: types,
        compiler: {
          overrideTsconfig: {
            compilerOptions: COMPILER_OPTIONS,
            files: entryPoints.map((entryPoint) => entryPoint.types),
          },
        },
        apiReport: {
          enabled: true,
          reportFileName: `${name}.api.md`,
          reportFolder,
          reportTempFolder: join(temporary, basename(folder)),
        },
        docModel: { enabled: false },
        newlineKind: 'lf',
        messages: { extractorMessageReporting: SILENT, tsdocMessageReporting: SILENT },
      },
    }),
  );
}

/** Writes or compares one report, and notes what it exports and what it forgets. */
function report(config: ExtractorConfig, compilerState: CompilerState): void {
  const { mainEntryPointFilePath, reportFilePath } = config;
  const file = reportFilePath.slice(ROOT.length);
  const { apiReportChanged } = Extractor.invoke(config, {
    compilerState,
    localBuild,
    messageCallback: (message) => {
      message.handled = true;
      const { messageId, logLevel, text } = message;
      const [, type = ''] = /The symbol "(\w+)"/.exec(text) ?? [];
      if (messageId === 'ae-forgotten-export') forgotten.set(type, file);
      else if (logLevel === ExtractorLogLevel.Error) problems.push(`${mainEntryPointFilePath}: ${text}`);
    },
  });
  if (apiReportChanged && localBuild) process.stdout.write(`wrote ${file}\n`);
  if (apiReportChanged && !localBuild) {
    problems.push(`${file} is not current. If the API is meant to change: npm run api-report`);
  }
  const text = readFileSync(config.reportTempFilePath, 'utf8');
  for (const [, declared = ''] of text.matchAll(DECLARATION)) exported.add(declared);
  for (const [, declared = ''] of text.matchAll(UNDOCUMENTED))
    problems.push(`${file}: no TSDoc: ${declared}`);
}
