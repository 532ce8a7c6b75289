import { type Command, Option } from 'commander';
import { systemClock } from 'nestjs-snowflake/core';
import { EXIT } from '../frame/exit-code.js';
import { withNote } from '../frame/slow-note.js';
import type { Terminal } from '../frame/terminal.js';
import { DATA_SOURCE_FLAG, DATA_SOURCE_HELP, loadOrmOptions } from '../settings/orm-options.js';
import { addStoreFlags, type StoreFlags, timeoutOf } from './stores/store-flags.js';
import { subjectOf, withStoreOfApp } from './stores/store-source.js';
import { type Examination, FINDING_KINDS, type FindingCode } from './doctor/findings.js';
import { findingsJson, findingsText } from './doctor/show-findings.js';

interface DoctorFlags extends StoreFlags {
  readonly dataSource?: string;
  readonly openapi?: string;
  readonly code?: string;
  readonly accept?: readonly FindingCode[];
  readonly json?: true;
}

/** Adds `doctor`. */
export function addDoctor(program: Command, terminal: Terminal): void {
  const command = program
    .command('doctor')
    .description('Check an app and its store for problems. Changes nothing, and takes no lease.');
  addStoreFlags(command)
    .option(DATA_SOURCE_FLAG, DATA_SOURCE_HELP)
    .option(
      '--openapi <file or url>',
      'OpenAPI document of the app in JSON, to find IDs that it declares as numbers',
    )
    .option('--code <folder>', 'sources of the app in TypeScript, to find code that converts IDs to numbers')
    .addOption(
      new Option('--accept <code...>', 'codes of findings to hide because you accept them').choices(
        Object.keys(FINDING_KINDS),
      ),
    )
    .option('--json', 'print one line of JSON')
    .action(async (flags: DoctorFlags) => {
      const { examine } = await import('./doctor/examine.js');
      const subject = await subjectOf(await withStoreOfApp(flags), { command: 'doctor' });
      const orm = flags.dataSource === undefined ? undefined : await loadOrmOptions(flags.dataSource);
      const others = [
        ...(flags.openapi === undefined ? [] : [await examineDocument(flags.openapi, timeoutOf(flags))]),
        ...(flags.code === undefined ? [] : [await examineSources(flags.code)]),
      ];
      const examining = examine(subject, environmentOf(flags), orm);
      const parts = [await withNote(terminal, 'Examining the app and its store …', examining), ...others];
      const findings = parts
        .flatMap((part) => part.findings)
        .filter(({ code }) => !flags.accept?.includes(code));
      const examined = parts.flatMap((part) => part.examined);
      terminal.print(
        flags.json
          ? `${JSON.stringify(findingsJson({ findings, examined }))}\n`
          : findingsText({ findings, examined }, terminal),
      );
      if (findings.some(({ severity }) => severity === 'error')) terminal.exitCode = EXIT.failure;
    });
}

async function examineDocument(reference: string, timeoutMs: number): Promise<Examination> {
  const { examineOpenApi } = await import('./doctor/openapi-check.js');
  return examineOpenApi(reference, timeoutMs);
}

async function examineSources(folder: string): Promise<Examination> {
  const { examineCode } = await import('./doctor/code-check.js');
  return examineCode(folder, process.cwd());
}

function environmentOf(flags: DoctorFlags) {
  return {
    timeoutMs: timeoutOf(flags),
    projectFolder: process.cwd(),
    nodeEnv: process.env.NODE_ENV,
    nodeVersion: process.versions.node,
    now: () => systemClock.now(),
  };
}
