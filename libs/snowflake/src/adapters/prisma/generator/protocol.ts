import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { InvalidOptionError } from '../../../core/errors/input-errors.js';
import { modelsOfSchema, type SchemaModel } from './models-of-schema.js';

/** A call of Prisma, as far as it is used: one line of JSON on the standard input of a generator. */
interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: {
    readonly generator: { readonly output: { readonly value: string | null } | null };
    readonly datasources: readonly { readonly activeProvider: string }[];
    readonly dmmf: { readonly datamodel: { readonly models: readonly SchemaModel[] } };
  };
}

/** Returns the answer to a line of the protocol of Prisma's generators, which is JSON-RPC. */
export function answerTo(line: string): string {
  const { id, method, params } = JSON.parse(line) as Call;
  try {
    if (method === 'generate') generate(params);
    const result = method === 'getManifest' ? { manifest: { prettyName: 'nestjs-snowflake' } } : null;
    return JSON.stringify({ jsonrpc: '2.0', id, result });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message, data: {} } });
  }
}

function generate({ generator, datasources, dmmf }: Call['params']): void {
  const file = generator.output?.value ?? '';
  if (!/\.[cm]?ts$/.test(file)) {
    const remedy = 'Name the file that it writes: output = "../src/snowflake-models.ts".';
    throw new InvalidOptionError('generator snowflake: output', file, 'is not a TypeScript file', remedy);
  }
  const models = modelsOfSchema(datasources[0]?.activeProvider ?? 'postgresql', dmmf.datamodel.models);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${HEAD}${JSON.stringify(models, undefined, 2)};\n`);
}

const HEAD = `// "prisma generate" writes this file.
import type { SnowflakeModels } from 'nestjs-snowflake/prisma';

export const snowflakeModels: SnowflakeModels = `;
