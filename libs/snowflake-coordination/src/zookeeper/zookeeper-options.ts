import { InvalidOptionError } from 'nestjs-snowflake/core';
import { redact } from 'nestjs-snowflake/internal/core/errors/show-value';
import {
  checkedBy,
  checkedOptions,
  secretFitting,
  flag,
  type OptionRules,
} from 'nestjs-snowflake/internal/core/options/option-rule';
import { NAMESPACE_IN_PATH } from 'nestjs-snowflake/internal/stores/namespace';
import { SERVER_TLS, type ServerTlsOptions } from '../tls/server-tls.js';

/** A user of ZooKeeper's `digest` scheme. */
export interface ZookeeperUser {
  readonly name: string;
  readonly password: string;
}

/** Options of `zookeeperLeaseStore`. */
export interface ZookeeperLeaseStoreOptions {
  /**
   * Name of the ID space, the same for all processes whose IDs must differ.
   * Bounds: 1 to 128 characters of `A-Z a-z 0-9 _ . : -`, and neither `.` nor `..`.
   */
  readonly namespace: string;

  /**
   * The servers of one ensemble: `zk-1:2181,zk-2:2181,zk-3:2181`.
   * Bounds: 1 to 100 hosts. The default port is 2181.
   *
   * All nodes are below a path at the end, as in `zk-1:2181/apps`.
   */
  readonly connectString: string;

  /**
   * The owner of the nodes that the store creates. Without one, everybody can change them.
   *
   * ZooKeeper gets the password in clear text, so use `tls` as well.
   *
   * @defaultValue none
   */
  readonly user?: ZookeeperUser;

  /**
   * Connects with TLS to the servers' `secureClientPort`. `{}` trusts the authorities that Node trusts.
   * Bounds: `ca`, `cert`, `key`, `pfx`, `passphrase` and `servername`, as in Node's `tls.connect()`.
   *
   * @defaultValue none
   */
  readonly tls?: ServerTlsOptions;

  /**
   * Asserts that no server is ever started with older data, and that no server of an ensemble is ever started alone.
   *
   * Use it for a standalone server in development, which the store refuses otherwise. If the assertion is wrong, IDs repeat.
   *
   * @defaultValue `false`
   */
  readonly assumeNoLostWrites?: boolean;
}

/** One server. */
export interface ZookeeperAddress {
  readonly host: string;
  readonly port: number;
}

/** Checked {@link ZookeeperLeaseStoreOptions}. */
export interface ZookeeperSettings {
  /** The node of the namespace. */
  readonly root: string;
  /** At least one. */
  readonly addresses: readonly ZookeeperAddress[];
  readonly user: ZookeeperUser | undefined;
  readonly tls: ServerTlsOptions | undefined;
  readonly assumeNoLostWrites: boolean;
}

const DEFAULT_PORT = 2181;
const MAX_PORT = 65_535;
const MOST_ADDRESSES = 100;
const ADDRESS = /^(?:\[([0-9A-Fa-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/;
/** Like ZooKeeper, without names of dots alone, but of plain characters only. */
const PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.:-]+)*$/;

const OPTIONS = {
  namespace: NAMESPACE_IN_PATH,
  connectString: checkedBy((option, value) => requireConnectString(value, option)),
  user: secretFitting(
    (value): value is ZookeeperUser => {
      const { name, password, ...others } = Object(value) as Partial<ZookeeperUser>;
      const isPair = typeof name === 'string' && typeof password === 'string' && password !== '';
      return isPair && /^[^:]+$/.test(name) && Object.keys(others).length === 0;
    },
    'is not an object with name, without a colon, and password',
    "Pass e.g. { name: 'shop', password: config.getOrThrow('ZOOKEEPER_PASSWORD') }.",
  ).optional(),
  tls: SERVER_TLS.optional(),
  assumeNoLostWrites: flag().or(false),
} satisfies OptionRules<ZookeeperLeaseStoreOptions>;

/**
 * Refuses options that cannot work, and fills in the defaults.
 *
 * @throws InvalidOptionError that names the option, its value (unless it may contain a password) and the remedy
 */
export function checkZookeeperOptions(options: ZookeeperLeaseStoreOptions): ZookeeperSettings {
  const { namespace, connectString, ...others } = checkedOptions('options', options, OPTIONS);
  const { addresses = [], path = '' } = partsOf(connectString) ?? {};
  return { root: `${path}/snowflake/${namespace}`, addresses, ...others };
}

/**
 * Returns the addresses of an ensemble.
 *
 * @param option the option as the user writes it
 * @throws InvalidOptionError if it isn't a list of hosts as ZooKeeper's clients take it
 */
export function requireConnectString(value: unknown, option = 'connectString'): string {
  if (typeof value === 'string' && partsOf(value)) return value;
  const problem = 'is not a list of hosts with their ports, separated by commas';
  throw new InvalidOptionError(option, redact(value), problem, 'Write e.g. zk-1:2181,zk-2:2181,zk-3:2181.');
}

function partsOf(text: string): { addresses: readonly ZookeeperAddress[]; path: string } | undefined {
  const slash = text.indexOf('/');
  const [hosts, path] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash)];
  const all = hosts.split(',');
  const addresses = all.flatMap((each) => addressOf(each) ?? []);
  const isRight = addresses.length === all.length && all.length <= MOST_ADDRESSES && PATH.test(path);
  return isRight ? { addresses, path } : undefined;
}

function addressOf(text: string): ZookeeperAddress | undefined {
  const [whole, ipv6, name = '', port = DEFAULT_PORT] = ADDRESS.exec(text) ?? [];
  const isRight = whole !== undefined && Number(port) > 0 && Number(port) <= MAX_PORT;
  return isRight ? { host: ipv6 ?? name, port: Number(port) } : undefined;
}
