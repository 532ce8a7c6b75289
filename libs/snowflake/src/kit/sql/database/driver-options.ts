import { InvalidOptionError } from '../../../core/errors/input-errors.js';

/** What pg takes from a URL alone, even if the URL does not have it. */
const ADDRESS_OF_PG = ['host', 'port', 'database', 'user', 'password', 'connectionString'];

/**
 * Returns the options that go to pg together with a URL.
 *
 * @throws InvalidOptionError for those that pg would drop without a word, such as a password or a CA
 */
export function pgOptions(url: string, driverOptions: object): object {
  const hasTls = /[?&]ssl/.test(url);
  for (const option of Object.keys(driverOptions)) {
    if (!ADDRESS_OF_PG.includes(option) && !(option === 'ssl' && hasTls)) continue;
    const remedy =
      option === 'ssl'
        ? 'Remove sslmode and similar parameters from url, or write ?sslmode=verify-full&sslrootcert=FILE there.'
        : 'Put it into url, which may be a function.';
    throw new InvalidOptionError(
      `driverOptions.${option}`,
      '(not shown)',
      'has no effect together with url',
      remedy,
    );
  }
  return driverOptions;
}

/** As Prisma, JDBC and other drivers write it. */
const SCHEMA = /^((current_?)?schema|search_?path)$/i;

/**
 * Refuses a URL that names a schema for another driver: pg would drop it without a word, and the store would use, or create, the
 * tables of another schema.
 *
 * @param option the option that has the URL
 * @throws InvalidOptionError
 */
export function requireNoSchema(query: URLSearchParams, option: string): void {
  const [name, value = ''] = [...query].find(([each]) => SCHEMA.test(each)) ?? [];
  if (name === undefined) return;
  const schema = /^\w{1,63}$/.test(value) ? value : 'app';
  throw new InvalidOptionError(
    option,
    '(not shown)',
    `has the parameter ${name}, which pg does not read`,
    `Set the option schema: '${schema}', with which the parameter may stay, or write ?options=-c%20search_path%3D${schema} instead.`,
  );
}

/** Parameters of a URL that decide how mysql2 connects. Others are for the pool of the app, or for other programs. */
const READ_BY_MYSQL2 = ['ssl', 'socketPath', 'charset', 'flags'];
/** Other programs write `sslmode`, `ssl-mode`, `sslaccept`, `useSSL` or `tls`. */
const TLS = /^(use)?-?(ssl|tls)/i;
const OFF = /^(false|0|no|off|disabled?)$/i;

/**
 * Returns the options that go to mysql2 together with the address in a URL. It gets the address in parts, so the query is read here,
 * as mysql2 does.
 *
 * @param option the option that has the URL
 * @throws InvalidOptionError if the URL asks for TLS in a form that mysql2 doesn't read, because it would connect without
 */
export function mysqlOptions(query: URLSearchParams, driverOptions: object, option: string): object {
  const isUnread = [...query].some(
    ([name, value]) => TLS.test(name) && !OFF.test(value) && !isProfile(name, value),
  );
  if (isUnread && !('ssl' in driverOptions)) {
    throw new InvalidOptionError(
      option,
      '(not shown)',
      'asks for TLS in a form that mysql2 does not read',
      'Add driverOptions: { ssl: { ca } }, or write ?ssl={"rejectUnauthorized":true}.',
    );
  }
  const read = [...query].filter(([name]) => READ_BY_MYSQL2.includes(name));
  return { ...Object.fromEntries(read.map(([name, value]) => [name, valueOf(value)])), ...driverOptions };
}

/** Whether mysql2 accepts it: an object, or the name of a profile such as `Amazon RDS`. */
function isProfile(name: string, value: string): boolean {
  const ssl = valueOf(value);
  return name === 'ssl' && (typeof ssl === 'string' || (typeof ssl === 'object' && ssl !== null));
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
