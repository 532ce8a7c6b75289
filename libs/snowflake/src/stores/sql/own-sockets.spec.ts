import { EventEmitter, once } from 'node:events';
import { createServer, type AddressInfo, Socket } from 'node:net';
import { OwnSockets } from './own-sockets.js';

interface DriverOptions {
  readonly stream: (options?: object) => Socket;
  readonly verify?: (client: EventEmitter, done: () => void) => void;
}

const FOR = ['forPg', 'forMysql2'] as const;

function optionsOf(sockets: OwnSockets, method: (typeof FOR)[number], given?: object): DriverOptions {
  return sockets[method](given) as DriverOptions;
}

describe('the sockets of a connection', () => {
  it.each(FOR)("ends sockets of the app's own with the others: %s", (method) => {
    const sockets = new OwnSockets();
    const [made, given] = [new Socket(), new Socket()];
    expect(optionsOf(sockets, method, { stream: () => made }).stream()).toBe(made);
    expect(optionsOf(sockets, method, { stream: given }).stream()).toBe(given);
    sockets.destroy();
    expect([made.destroyed, given.destroyed]).toEqual([true, true]);
  });

  it.each(FOR)('opens no socket once the connection is abandoned: %s', (method) => {
    const sockets = new OwnSockets();
    const { stream } = optionsOf(sockets, method);
    sockets.destroy();
    expect(() => stream()).toThrow('the connection was abandoned');
  });

  it('connects where mysql2 would connect', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const sockets = new OwnSockets();
    const accepted = once(server, 'connection');
    const socket = optionsOf(sockets, 'forMysql2').stream({ config: { host: '127.0.0.1', port } });
    await accepted;
    const closed = once(socket, 'close');
    sockets.destroy();
    await closed;
    server.close();
    expect(socket.destroyed).toBe(true);
  });
});

describe('a client of pg', () => {
  it('survives a socket that fails before it has an error listener', () => {
    const client = new EventEmitter();
    const fail = () => client.emit('error', new Error('cut'));
    expect(fail).toThrow('cut');
    let isDone = false;
    optionsOf(new OwnSockets(), 'forPg').verify?.(client, () => (isDone = true));
    expect(isDone).toBe(true);
    expect(fail).not.toThrow();
  });

  it('shows a new client to the app that verifies it', () => {
    const client = new EventEmitter();
    const shown: unknown[] = [];
    const verify = (given: unknown, done: () => void): void => {
      shown.push(given);
      done();
    };
    let isDone = false;
    optionsOf(new OwnSockets(), 'forPg', { verify }).verify?.(client, () => (isDone = true));
    expect([shown, isDone]).toEqual([[client], true]);
  });
});
