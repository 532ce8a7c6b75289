import { type Command, Option } from 'commander';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { InvalidOptionError, systemClock } from '../../core/index.js';
import { EXIT } from '../frame/exit-code.js';
import type { Terminal } from '../frame/terminal.js';
import { loadAppOptions } from '../settings/app-options.js';
import { addStoreFlags, type StoreFlags, timeoutOf } from './stores/store-flags.js';
import { subjectOf } from './stores/store-source.js';
import { FINDING_KINDS, type FindingCode } from './doctor/findings.js';
import { findingsJson, findingsText } from './doctor/show-findings.js';

interface DoctorFlags extends StoreFlags {
  readonly dataSource?: string;
  readonly accept?: readonly FindingCode[];
  readonly json?: true;
}

/** Adds `doctor`. */
export function addDoctor(program: Command, terminal: Terminal): void {
  const command = program
    .command('doctor')
    .description('Examine an app and its store. Changes nothing, and takes no lease.');
  addStoreFlags(command)
    .option(
      '--data-source <file[#export]>',
      "module that exports the TypeORM DataSource of the app's entities",
    )
    .addOption(
      new Option('--accept <code...>', 'findings that you know and accept').choices(
        Object.keys(FINDING_KINDS),
      ),
    )
    .option('--json', 'one line of JSON')
    .action(async (flags: DoctorFlags) => {
      const { examine } = await import('./doctor/examine.js');
      const subject = await subjectOf(flags);
      const environment = environmentOf(flags);
      const { findings, examined } = await examine(subject, environment, await ormOptions(flags.dataSource));
      const counted = findings.filter(({ code }) => !flags.accept?.includes(code));
      terminal.print(
        flags.json
          ? `${JSON.stringify(findingsJson({ findings: counted, examined }))}\n`
          : findingsText({ findings: counted, examined }, terminal),
      );
      if (counted.some(({ severity }) => severity === 'error')) terminal.exitCode = EXIT.failure;
    });
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

async function ormOptions(reference: string | undefined): Promise<DataSourceOptions | undefined> {
  if (reference === undefined) return undefined;
  try {
    const exported: object = await loadAppOptions(reference);
    return 'initialize' in exported ? (exported as DataSource).options : (exported as DataSourceOptions);
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    const remedy = 'Pass the path of a built JavaScript file that exports the DataSource or its options.';
    throw new InvalidOptionError('--data-source', reference, error.problem, remedy);
  }
}
