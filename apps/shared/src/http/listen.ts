import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { EnvironmentError } from '../environment/environment.js';

/**
 * Makes the app listen, and returns its URL. If it can't, closes the app, which gives its lease back.
 *
 * @throws EnvironmentError if the port is in use
 */
export async function listen(app: INestApplication, port: number): Promise<string> {
  try {
    await app.listen(port);
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new EnvironmentError([`port ${port} is in use; free it or set PORT to another one`]);
  }
  const { port: taken } = app.getHttpServer().address() as AddressInfo;
  return `http://localhost:${taken}`;
}
