import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { InvalidOptionError } from 'nestjs-snowflake/core';
import { PAGE_FOLDER } from '#page-folder';
import { SAFE_HEADERS } from './answers.js';
import type { ConsoleAnswer, ConsoleRequest } from './messages.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** The folder of the files whose names change with their content. */
const HASHED_FOLDER = 'assets';
const IMMUTABLE = 'private, max-age=31536000, immutable';

/** A file of the page as it is, and compressed by gzip. */
export interface PageFile {
  readonly plain: ConsoleAnswer;
  readonly compressed: ConsoleAnswer;
}

/**
 * The files of the page by their paths. They are read once, at the start, so a request can't reach any other file.
 */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** Reads the built page. @throws InvalidOptionError if it is missing */
export function readPageFiles(folder = PAGE_FOLDER): PageFiles {
  try {
    const assets = readdirSync(join(folder, HASHED_FOLDER)).map((name) => `${HASHED_FOLDER}/${name}`);
    return new Map(['index.html', ...assets].map((path) => [path, fileAnswer(folder, path)]));
  } catch {
    throw new InvalidOptionError(
      'nestjs-snowflake-console',
      'its page',
      'is missing from the installed package',
      'Install the package again. If you bundle the app, leave this package out of the bundle.',
    );
  }
}

function fileAnswer(folder: string, path: string): PageFile {
  const content = readFileSync(join(folder, path));
  const headers = {
    ...SAFE_HEADERS,
    'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
    ...(path.startsWith(`${HASHED_FOLDER}/`) && { 'cache-control': IMMUTABLE }),
    vary: 'accept-encoding',
  };
  return {
    plain: { status: 200, headers, body: content },
    compressed: {
      status: 200,
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: gzipSync(content, { level: 9 }),
    },
  };
}

/** Returns the file, compressed if the client takes that. */
export function answerOf({ plain, compressed }: PageFile, request: ConsoleRequest): ConsoleAnswer {
  const accepted = request.header('accept-encoding') ?? '';
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted) ? compressed : plain;
}
