import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Module,
  Scope,
  UnauthorizedException,
} from '@nestjs/common';
import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { HttpApp, PLATFORMS } from '../doors/http-apps.js';
import { appModule, ask, FROM_THE_PAGE } from './support/console-app.js';

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

@Module({ providers: [Administrators, AdminGuard, RequestGuard] })
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
    process.env['NODE_ENV'] = 'production';
    expect(() => SnowflakeConsoleModule.forRoot(options)).toThrow(/refuses NODE_ENV=production/);
    const late = SnowflakeConsoleModule.forRootAsync({ useFactory: () => options });
    await expect(HttpApp.start('Express', appModule(late))).rejects.toThrow(/refuses NODE_ENV=production/);
  });
});
