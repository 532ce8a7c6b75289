import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ROOT } from '../../docs/markdown.js';
import { packNamed } from '../long/packaging/packed-library.js';

/** A package as the registry serves it. */
interface Published {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly tarball: Buffer;
}

/** A registry on this machine that has the packed packages. It redirects to npm's own registry for all others. */
export class LocalRegistry {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** Packs the packages, and serves them. */
  static async with(names: readonly string[]): Promise<LocalRegistry> {
    const packages = new Map<string, Published>();
    for (const name of names) packages.set(name, await published(name));
    const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
    const server = createServer(({ url: path = '/', headers }, response) => {
      const [, name = '', file] = decodeURIComponent(path).split('/');
      const found = packages.get(name);
      if (found === undefined) response.writeHead(302, { location: new URL(path, upstream).href }).end();
      else if (file === undefined) respondWith(response, found, `http://${headers.host}/${name}/${name}.tgz`);
      else response.end(found.tarball);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LocalRegistry(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

async function published(name: string): Promise<Published> {
  const { path } = await packNamed(name);
  const manifest = readFileSync(join(ROOT, 'libs', name.replace('nestjs-', ''), 'package.json'), 'utf8');
  return { manifest: JSON.parse(manifest) as Published['manifest'], tarball: readFileSync(path) };
}

function respondWith(response: ServerResponse, { manifest, tarball }: Published, url: string): void {
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const { name, version } = manifest;
  const versions = { [version]: { ...manifest, dist: { tarball: url, integrity } } };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
}
