import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  Module,
  Scope,
  UnauthorizedException,
} from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { HttpApp, PLATFORMS } from '../doors/http-apps.js';
import { appModule, ask, FROM_THE_PAGE, statusForHost } from './support/console-app.js';

const ADDRESSES = [
  '',
  '/',
  '/index.html',
  '/api/app',
  '/api/ids',
  '/api/events',
  '/api/series',
  '/none',
  '/a/b/c',
];
const isAdmin = (context: ExecutionContext): boolean => {
  const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
  return headers['x-user'] === 'admin';
};

@Injectable()
class Administrators {
  readonly names = ['admin'];
}

@Injectable()
class AdminGuard implements CanActivate {
  constructor(private readonly administrators: Administrators) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    return isAdmin(context) && this.administrators.names.length > 0;
  }
}

@Injectable({ scope: Scope.REQUEST })
class RequestGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return isAdmin(context);
  }
}

/** Knows its user only by the request that it was made for. */
@Injectable({ scope: Scope.REQUEST })
class UserGuard implements CanActivate {
  constructor(@Inject(REQUEST) private readonly request: { headers: Record<string, string> } | undefined) {}

  canActivate(): boolean {
    return this.request?.headers['x-user'] === 'admin';
  }
}

/** Keeps the user of a request while it waits. */
@Injectable({ scope: Scope.REQUEST })
class WaitingGuard implements CanActivate {
  private user = '';

  async canActivate(context: ExecutionContext): Promise<boolean> {
    this.user = isAdmin(context) ? 'admin' : 'nobody';
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    return this.user === 'admin';
  }
}

@Injectable()
class UnmetGuard implements CanActivate {
  constructor(private readonly missing: Administrators) {}

  canActivate(): boolean {
    return this.missing.names.length > 0;
  }
}

class PlainGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return isAdmin(context);
  }
}

class ChallengingGuard implements CanActivate {
  canActivate(): boolean {
    throw new UnauthorizedException('log in');
  }
}

@Module({ providers: [Administrators, AdminGuard, RequestGuard, UserGuard] })
class AdminModule {}

let app: HttpApp | undefined;
afterEach(async () => {
  await app?.stop();
  app = undefined;
});

describe.each(PLATFORMS)('who may use the console in an app on %s', (platform) => {
  it('gets nothing unless authorized: the same answer as at an address that the app does not have', async () => {
    const mounted = SnowflakeConsoleModule.forRoot({ path: 'console', authorize: isAdmin });
    app = await HttpApp.start(platform, appModule(mounted));
    const page = await (await ask(app, '/console/', { headers: { 'x-user': 'admin' } })).text();
    const asset = /assets\/[^"]+\.js/.exec(page)?.[0] ?? 'none';
    const without = (await ask(app, '/elsewhere')).headers;
    for (const address of [...ADDRESSES, `/${asset}`]) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const options = { method, headers: { 'x-user': 'nobody' } };
        const refused = await ask(app, `/console${address}`, options);
        const elsewhere = await ask(app, `/elsewhere${address}`, options);
        const text = (await elsewhere.text()).replaceAll('/elsewhere', '/console');
        expect([method, address, refused.status, await refused.text()]).toEqual([method, address, 404, text]);
        expect([...refused.headers.keys()].sort()).toEqual([...without.keys()].sort());
      }
    }
  });

  // Control: the same requests get answers with the right user.
  it('gets everything if authorized', async () => {
    const mounted = SnowflakeConsoleModule.forRoot({ path: 'console', authorize: isAdmin });
    app = await HttpApp.start(platform, appModule(mounted));
    const headers = { ...FROM_THE_PAGE, 'x-user': 'admin' };
    for (const address of ['/', '/index.html', '/api/app']) {
      expect([address, (await ask(app, `/console${address}`, { headers })).status]).toEqual([address, 200]);
    }
    const body = JSON.stringify({ maker: 'default', count: 1 });
    expect((await ask(app, '/console/api/ids', { method: 'POST', headers, body })).status).toBe(200);
  });

  it.each([
    ['that the app provides, with its dependencies', AdminGuard],
    ['of a request', RequestGuard],
    ['of a request that it has injected', UserGuard],
    ['that nobody provides', PlainGuard],
  ])('is asked of a guard class %s', async (_what, authorize) => {
    const mounted = SnowflakeConsoleModule.forRootAsync({
      path: 'console',
      authorize,
      imports: [AdminModule],
    });
    app = await HttpApp.start(platform, appModule(mounted));
    const statusFor = async (user: string): Promise<number> =>
      (await ask(app!, '/console/api/app', { headers: { 'x-user': user } })).status;
    expect([await statusFor('admin'), await statusFor('nobody')]).toEqual([200, 404]);
  });

  it('is asked of a guard of its own for each request, if nobody provides the class', async () => {
    const mounted = SnowflakeConsoleModule.forRoot({ path: 'console', authorize: WaitingGuard });
    app = await HttpApp.start(platform, appModule(mounted));
    const users = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'nobody' : 'admin'));
    const statuses = await Promise.all(
      users.map(
        async (user) => (await ask(app!, '/console/api/app', { headers: { 'x-user': user } })).status,
      ),
    );
    expect(statuses).toEqual(users.map((user) => (user === 'admin' ? 200 : 404)));
  });

  it('is known when the app boots: a guard without its dependencies fails it', async () => {
    const mounted = SnowflakeConsoleModule.forRoot({ path: 'console', authorize: UnmetGuard });
    await expect(HttpApp.start(platform, appModule(mounted))).rejects.toThrow(
      /dependencies of the UnmetGuard/,
    );
  });

  // Both answer before they ask any guard. If this fails, they have mended it: change docs/guides/console.md.
  it('gets the error of the framework, and nothing of the console, for what the framework can not read', async () => {
    const mounted = SnowflakeConsoleModule.forRoot({ path: 'console', authorize: () => false });
    app = await HttpApp.start(platform, appModule(mounted));
    const text = { method: 'POST', headers: { 'content-type': 'text/xml' }, body: '<a/>' };
    const statusAt = async (path: string, options?: RequestInit) => (await ask(app!, path, options)).status;
    expect([await statusAt('/console/%ff'), await statusAt('/elsewhere/%ff')]).toEqual(
      platform === 'Express' ? [400, 404] : [400, 400],
    );
    expect([await statusAt('/console/api/ids', text), await statusAt('/elsewhere', text)]).toEqual(
      platform === 'Express' ? [404, 404] : [415, 404],
    );
  });

  it('gets the challenge that a guard throws, whatever is asked', async () => {
    const mounted = SnowflakeConsoleModule.forRootAsync({ path: 'console', authorize: ChallengingGuard });
    app = await HttpApp.start(platform, appModule(mounted));
    for (const address of ADDRESSES) {
      const { status, headers } = await ask(app, `/console${address}`);
      expect([address, status, headers.has('content-security-policy')]).toEqual([address, 401, false]);
    }
  });

  it.each([
    ['returns something else than true', () => 'yes' as unknown as boolean],
    ['rejects', () => Promise.reject(new Error('the directory is away'))],
  ])('is refused if authorize %s', async (_what, authorize) => {
    const mounted = SnowflakeConsoleModule.forRoot({ authorize });
    app = await HttpApp.start(platform, appModule(mounted));
    expect((await ask(app, '/snowflake/api/app')).status).toBeGreaterThanOrEqual(400);
  });

  it('comes from the options of a factory', async () => {
    const mounted = SnowflakeConsoleModule.forRootAsync({ useFactory: () => ({ authorize: isAdmin }) });
    app = await HttpApp.start(platform, appModule(mounted));
    expect((await ask(app, '/snowflake/')).status).toBe(404);
    expect((await ask(app, '/snowflake/', { headers: { 'x-user': 'admin' } })).status).toBe(200);
  });
});

describe('the options of the console', () => {
  const before = process.env['NODE_ENV'];
  afterEach(() => {
    process.env['NODE_ENV'] = before;
  });

  it.each<[string, unknown]>([
    ['no options', undefined],
    ['no authorize', {}],
    ['authorize of another kind', { authorize: 'everybody' }],
    ['a misspelled option', { authorise: () => true, authorize: () => true }],
    ['an empty path', { path: '/', authorize: () => true }],
    ['a path with a wildcard', { path: 'a/*', authorize: () => true }],
    ['too large batches', { generate: { maxCount: 100_000 }, authorize: () => true }],
    ['no listeners', { maxListeners: 0, authorize: () => true }],
  ])('are refused with a typed error for %s', (_what, options) => {
    expect(() => SnowflakeConsoleModule.forRoot(options as never)).toThrow(
      expect.objectContaining({ code: 'SNOWFLAKE_INVALID_OPTION' }),
    );
  });

  it('are refused while the app boots, if a factory returns no authorize', async () => {
    const mounted = SnowflakeConsoleModule.forRootAsync({ useFactory: () => ({}) });
    await expect(HttpApp.start('Express', appModule(mounted))).rejects.toMatchObject({
      code: 'SNOWFLAKE_INVALID_OPTION',
      option: 'authorize',
    });
  });

  it("let everybody in with 'development-only', which refuses to start in production", async () => {
    const options = { authorize: 'development-only' } as const;
    app = await HttpApp.start('Express', appModule(SnowflakeConsoleModule.forRoot(options)));
    expect((await ask(app, '/snowflake/')).status).toBe(200);
    for (const [host, status] of [
      ['localhost:3000', 200],
      ['shop.localhost', 200],
      ['[::1]:3000', 200],
      ['192.168.1.7', 200],
      ['rebound.example:3000', 421],
    ] as const) {
      expect([host, await statusForHost(`${app.url}/snowflake/`, host)]).toEqual([host, status]);
    }
    process.env['NODE_ENV'] = 'production';
    expect(() => SnowflakeConsoleModule.forRoot(options)).toThrow(/refuses NODE_ENV=production/);
    const late = SnowflakeConsoleModule.forRootAsync({ useFactory: () => options });
    await expect(HttpApp.start('Express', appModule(late))).rejects.toThrow(/refuses NODE_ENV=production/);
  });
});
