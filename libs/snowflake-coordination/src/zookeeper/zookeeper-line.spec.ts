import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Frames, JuteReader, JuteWriter } from './jute.js';
import { CLOSE, sync } from './messages.js';
import { ZookeeperLine } from './zookeeper-line.js';

const NO_ERROR = 0;

describe('a connection to ZooKeeper', () => {
  const numbers: number[] = [];
  /** Begins a session, and answers each request without an error. */
  const server = createServer((socket) => {
    const frames = new Frames(1000);
    let hasSession = false;
    socket.on('data', (bytes: Buffer) => {
      for (const frame of frames.add(bytes)) {
        const number = new JuteReader(frame).int();
        if (hasSession) numbers.push(number);
        const reply = new JuteWriter();
        if (hasSession) reply.int(number).long(1n).int(NO_ERROR);
        else reply.int(0).int(60_000).long(1n).bytes(Buffer.alloc(16));
        hasSession = true;
        socket.write(reply.frame());
      }
    });
  });
  let port = 0;

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => void server.close());

  it('numbers its requests from 1 again after the largest number of the protocol', async () => {
    const largest = 2 ** 31 - 1;
    const settings = { address: { host: '127.0.0.1', port }, tls: undefined, user: undefined };
    const line = new ZookeeperLine(settings, largest - 2);
    await line.ready;
    const replies = await line.exchange([sync('/a'), sync('/b'), sync('/c'), CLOSE]);
    expect(replies.map(({ error }) => error)).toEqual([0, 0, 0, 0]);
    expect(numbers).toEqual([largest - 1, largest, 1, 2]);
    expect(line.isOpen).toBe(true);
    line.end(new Error('the test is over'));
  });
});
