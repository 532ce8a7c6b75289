import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreSource } from '../stores/store-source.js';
import { type Examination, type Finding, finding } from './findings.js';

interface Manifest {
  readonly dependencies?: object;
  readonly devDependencies?: object;
}

/**
 * Finds tools of a project that drop tables which are not in their schema, such as those of the library. MikroORM is not among them,
 * because `verifySnowflakeOrm()` stops its startup.
 *
 * @param projectFolder the folder of the app's `package.json`
 */
export function examineSchemaTools(source: StoreSource, projectFolder: string): Examination {
  const installed = new Set(dependenciesIn(projectFolder));
  const hasTool = installed.has('drizzle-kit') || installed.has('prisma');
  if (source.kind !== 'sql' || !hasTool) return { findings: [], examined: [] };
  const findings: Finding[] = [];
  if (installed.has('drizzle-kit') && !configNamesTables(projectFolder)) {
    findings.push(
      finding(
        'SCHEMA_TOOL',
        'drizzle-kit push drops the lease tables if it finds them in its database, and no drizzle.config here names them.',
        { remedy: remedyOf("Set tablesFilter: ['!snowflake_*'] in the configuration of drizzle-kit.") },
      ),
    );
  }
  if (installed.has('prisma') && source.options.schema === undefined) {
    findings.push(
      finding(
        'SCHEMA_TOOL',
        'Prisma drops the lease tables by migrate dev and db push if it finds them in its database or schema.',
        { remedy: remedyOf('On PostgreSQL, set the option schema of the store.') },
      ),
    );
  }
  return { findings, examined: ['schema tools'] };
}

function remedyOf(setting: string): string {
  return `${setting} If the tables are in a separate database, accept this finding with --accept SCHEMA_TOOL.`;
}

function dependenciesIn(folder: string): string[] {
  try {
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Manifest;
    return Object.keys({ ...dependencies, ...devDependencies });
  } catch {
    return [];
  }
}

function configNamesTables(folder: string): boolean {
  const configs = readdirSync(folder).filter((file) =>
    /^drizzle.*\.config\.[cm]?(ts|js|json)$|^drizzle\.config\./.test(file),
  );
  return configs.some((file) => /tablesFilter[^]*snowflake/.test(readFileSync(join(folder, file), 'utf8')));
}
