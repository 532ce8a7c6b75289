import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { INestApplication } from '@nestjs/common';
import { EnvironmentError } from '../environment/environment.js';

/** After this time without any progress, Node closes a connection: its client reads nothing. No request takes so long by itself. */
const SILENCE_MS = 60_000;

/**
 * Makes the app listen, and returns its URL. If it can't, closes the app, which gives its lease back.
 *
 * @throws EnvironmentError if the port is in use
 */
export async function listen(app: INestApplication, port: number): Promise<string> {
  (app.getHttpServer() as Server).setTimeout(SILENCE_MS);
  try {
    await app.listen(port, everyAddress());
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new EnvironmentError([`port ${port} is in use; free it or set PORT to another one`]);
  }
  const { port: taken } = app.getHttpServer().address() as AddressInfo;
  return `http://localhost:${taken}`;
}

/** Returns what Node takes without an address. Fastify would listen on the loopback address only. */
export function everyAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return addresses.some(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0';
}
