import { type ProxyRules, TcpProxy } from '../../../support/proxies/tcp-proxy.js';

const NOTHING = Buffer.alloc(0);
const COM_QUERY = 3;
const TLS_HANDSHAKE = 22;

/**
 * Stands in front of a database server as a pooler does: it greets its clients at once, and may keep their statements to
 * itself as long as the server is away.
 */
export class Pooler extends TcpProxy {
  private refusesTransactions = false;
  private holds: 'nothing' | 'statements' | 'TLS' | 'everything' = 'nothing';
  /** How many pieces of data it has kept to itself. */
  held = 0;
  override rules: ProxyRules = {
    fromClient: (bytes, client) => {
      if (this.refusesTransactions && bytes.includes('START TRANSACTION')) {
        client.end(NO_TRANSACTIONS);
        return NOTHING;
      }
      const passed = this.passed(bytes);
      return this.holds === 'statements' && isStatement(bytes) ? NOTHING : passed;
    },
    fromServer: (bytes) => this.passed(bytes),
  };

  /** From now on no statement comes through. */
  holdStatements(): void {
    this.holds = 'statements';
  }

  /** From now on no message of a TLS handshake comes through. */
  holdTls(): void {
    this.holds = 'TLS';
  }

  /** From now on nothing comes through, not even a greeting. */
  holdEverything(): void {
    this.holds = 'everything';
  }

  /** From now on it answers as PgBouncer 1.18 does with `pool_mode = statement`. */
  refuseTransactions(): void {
    this.refusesTransactions = true;
  }

  private passed(bytes: Buffer): Buffer {
    const passes = this.holds !== 'everything' && !(this.holds === 'TLS' && bytes[0] === TLS_HANDSHAKE);
    if (passes) return bytes;
    this.held += 1;
    return NOTHING;
  }
}

/** An ErrorResponse of PostgreSQL's protocol. */
const NO_TRANSACTIONS = errorResponse({
  S: 'FATAL',
  C: '08P01',
  M: 'transaction blocks not allowed in statement pooling mode',
});

function errorResponse(fields: Readonly<Record<string, string>>): Buffer {
  const texts = Object.entries(fields).map(([type, text]) => Buffer.from(`${type}${text}\0`));
  const body = Buffer.concat([...texts, Buffer.alloc(1)]);
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** `Q` and `P` of PostgreSQL, and the first packet of a query of MySQL. */
function isStatement(chunk: Buffer): boolean {
  return chunk[0] === 0x51 || chunk[0] === 0x50 || (chunk[3] === 0 && chunk[4] === COM_QUERY);
}
