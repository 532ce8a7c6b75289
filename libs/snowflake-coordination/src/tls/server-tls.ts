import type { SecureContextOptions } from 'node:tls';
import { secretFitting } from 'nestjs-snowflake/internal/core/options/option-rule';

/** What a server and this client show each other with TLS. All are options of `tls.connect` of Node. */
export interface ServerTlsOptions extends Pick<
  SecureContextOptions,
  'ca' | 'cert' | 'key' | 'pfx' | 'passphrase'
> {
  /** The name that the server's certificate must have, if it isn't the host of its address. */
  readonly servername?: string;
}

const NAMES: ReadonlySet<string> = new Set(['ca', 'cert', 'key', 'pfx', 'passphrase', 'servername']);

/** The rule of {@link ServerTlsOptions}. */
export const SERVER_TLS = secretFitting(
  (value): value is ServerTlsOptions =>
    typeof value === 'object' && value !== null && Object.keys(value).every((name) => NAMES.has(name)),
  `is not an object with ${[...NAMES].join(', ')} only`,
  'Pass e.g. { ca: readFileSync(…) }. Whether to verify the server is not an option: without it, anybody can answer.',
);
