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

const openssl = (...args: readonly string[]) =>
  promisify(execFile)(requireBinary('openssl'), [...NEW_KEY, ...args], { timeout: MADE_WITHIN_MS });

/** A certificate of a server named `localhost`, and the private CA that has signed it. */
export interface Certificates {
  readonly ca: string;
  readonly caFile: string;
  readonly certificateFile: string;
  /** Belongs to the account of the server, as PostgreSQL demands. */
  readonly keyFile: string;
}

/** Makes the certificate of a client in the directory of a CA. */
export async function makeClientCertificate(
  directory: string,
  commonName: string,
): Promise<{ readonly cert: string; readonly key: string }> {
  const file = (name: string): string => join(directory, name);
  const [certFile, keyFile] = [file(`${commonName}.pem`), file(`${commonName}.key`)];
  const signed = [
    '-CA',
    file('ca.pem'),
    '-CAkey',
    file('ca.key'),
    '-addext',
    'basicConstraints=critical,CA:FALSE',
  ];
  await openssl('-keyout', keyFile, '-out', certFile, ...signed, '-subj', `/CN=${commonName}`);
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}

/** Makes them in a directory, with openssl. */
export async function makeCertificates(directory: string, account: Account): Promise<Certificates> {
  const file = (name: string): string => join(directory, name);
  const [caFile, certificateFile, keyFile] = [file('ca.pem'), file('server.pem'), file('server.key')];
  await openssl('-keyout', file('ca.key'), '-out', caFile, '-subj', '/CN=CA of a test');
  const signed = ['-CA', caFile, '-CAkey', file('ca.key'), '-addext', 'basicConstraints=critical,CA:FALSE'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  await openssl('-keyout', keyFile, '-out', certificateFile, ...signed, ...name);
  for (const made of [caFile, certificateFile, keyFile]) giveTo(account, made);
  return { ca: readFileSync(caFile, 'utf8'), caFile, certificateFile, keyFile };
}
