import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { giveTo, type Account } from './account.js';
import { requireBinary } from './binaries.js';

const MADE_WITHIN_MS = 60_000;
const NEW_KEY = [
  'req',
  '-x509',
  '-newkey',
  'ec',
  '-pkeyopt',
  'ec_paramgen_curve:prime256v1',
  '-nodes',
  '-days',
  '2',
];
const NO_CA = ['-addext', 'basicConstraints=critical,CA:FALSE'];

/** A certificate of a server named `localhost`, and the private CA that has signed it. */
export interface Certificates {
  readonly ca: string;
  readonly caFile: string;
  readonly certificateFile: string;
  /** Belongs to the account of the server, as PostgreSQL demands. */
  readonly keyFile: string;
}

/**
 * Makes a certificate of a client, which the CA of {@link makeCertificates} in the same directory signs.
 *
 * @param subject e.g. `/O=shop`. Without it, the common name is `name`.
 */
export async function makeClientCertificate(
  directory: string,
  name: string,
  subject = `/CN=${name}`,
): Promise<Record<'certificateFile' | 'keyFile' | 'cert' | 'key', string>> {
  const [certificateFile, keyFile] = [join(directory, `${name}.pem`), join(directory, `${name}.key`)];
  const ca = ['-CA', join(directory, 'ca.pem'), '-CAkey', join(directory, 'ca.key')];
  await openssl('-keyout', keyFile, '-out', certificateFile, ...ca, ...NO_CA, '-subj', subject);
  return {
    certificateFile,
    keyFile,
    cert: readFileSync(certificateFile, 'utf8'),
    key: readFileSync(keyFile, 'utf8'),
  };
}

/** Makes them in a directory, with openssl. */
export async function makeCertificates(directory: string, account: Account): Promise<Certificates> {
  const file = (name: string): string => join(directory, name);
  const [caFile, certificateFile, keyFile] = [file('ca.pem'), file('server.pem'), file('server.key')];
  await openssl('-keyout', file('ca.key'), '-out', caFile, '-subj', '/CN=CA of a test');
  const signed = ['-CA', caFile, '-CAkey', file('ca.key'), ...NO_CA];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  await openssl('-keyout', keyFile, '-out', certificateFile, ...signed, ...name);
  for (const made of [caFile, certificateFile, keyFile]) giveTo(account, made);
  return { ca: readFileSync(caFile, 'utf8'), caFile, certificateFile, keyFile };
}

function openssl(...args: readonly string[]): Promise<unknown> {
  return promisify(execFile)(requireBinary('openssl'), [...NEW_KEY, ...args], { timeout: MADE_WITHIN_MS });
}
