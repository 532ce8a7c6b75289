import type { Socket } from 'node:net';
import { type ProxyRules, TcpProxy } from '../../../../test/support/proxies/tcp-proxy.js';

/** This doesn't match the isolation level READ COMMITTED. */
const COMMIT = /COMMIT(?!TED)/;

/** A network in front of a server on 127.0.0.1 that breaks while a COMMIT is answered. */
export class CuttingProxy extends TcpProxy {
  private isArmed = false;
  private readonly cut = new WeakSet<Socket>();
  /** How many answers to a COMMIT never arrived. */
  cuts = 0;
  override rules: ProxyRules = {
    fromClient: (bytes, client) => {
      if (this.isArmed && COMMIT.test(bytes.toString('latin1'))) {
        this.isArmed = false;
        this.cut.add(client);
      }
      return bytes;
    },
    fromServer: (bytes, client) => {
      if (!this.cut.has(client)) return bytes;
      // The server has committed, because it answers.
      this.cuts += 1;
      return undefined;
    },
  };

  /** The next COMMIT reaches the server, and its answer nobody. */
  cutNextCommit(): void {
    this.isArmed = true;
  }
}
