import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { destroySocketOf, ignoreErrorsOf } from './driver-socket.js';

describe('the connection of a driver', () => {
  it.each([
    ['pg', (stream: Socket) => ({ connection: { stream } })],
    ['mysql2', (stream: Socket) => ({ stream })],
    ['mysql', (_socket: Socket) => ({ _socket })],
  ])('is cut where %s keeps its socket', (_driver, holding) => {
    const socket = new Socket();
    destroySocketOf(holding(socket));
    expect(socket.destroyed).toBe(true);
  });

  it.each([undefined, null, 'text', {}, { stream: {} }])('is left alone without one: %p', (connection) => {
    expect(() => destroySocketOf(connection)).not.toThrow();
    expect(() => ignoreErrorsOf(connection)).not.toThrow();
  });

  it('may fail while nobody listens', () => {
    const connection = new EventEmitter();
    const fail = () => connection.emit('error', new Error('cut'));
    expect(fail).toThrow('cut');
    ignoreErrorsOf(connection);
    expect(fail).not.toThrow();
  });
});
