import 'reflect-metadata';
import { request } from 'node:http';
import { type DynamicModule, type INestApplication, Module, type Type } from '@nestjs/common';
import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';
import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import { HttpApp, type Platform } from '../../adapters/http-apps.js';

/** What the page of the console sends with each request that makes something. */
export const FROM_THE_PAGE = { 'content-type': 'application/json', 'x-snowflake-console': '1' };

/** An app with one ID maker, and whatever is given. */
export function appModule(
  mounted: DynamicModule,
  rest: { readonly imports?: (Type | DynamicModule)[]; readonly providers?: Type[] } = {},
): Type {
  const ids = SnowflakeModule.forRoot({ store: memoryLeaseStore() });
  @Module({ imports: [...(rest.imports ?? [ids]), mounted], providers: rest.providers ?? [] })
  class AppModule {}
  return AppModule;
}

/** Starts an app with a console for everybody at `/snowflake`. */
export function startOpenApp(
  platform: Platform,
  configure?: (app: INestApplication) => void,
): Promise<HttpApp> {
  const mounted = SnowflakeConsoleModule.forRoot({ path: '/snowflake', authorize: () => true });
  return HttpApp.start(platform, appModule(mounted), configure);
}

/** The most careless settings an app can have: every website, with cookies. */
export const allowEverybody = (nest: INestApplication): void =>
  nest.enableCors({ origin: true, credentials: true });

/** Asks the app, and follows no redirect. A connection that is kept would keep the app from stopping, or close just as it is used. */
export function ask(app: HttpApp, path: string, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers as Record<string, string>);
  headers.set('connection', 'close');
  return fetch(app.url + path, { redirect: 'manual', ...options, headers });
}

/** Asks the console at `/snowflake` for IDs. */
export function askForIds(app: HttpApp, body: unknown, headers: object = FROM_THE_PAGE): Promise<Response> {
  return ask(app, '/snowflake/api/ids', {
    method: 'POST',
    headers: { ...headers } as Record<string, string>,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** The status of an answer to a request that names `host`. */
export function statusForHost(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
  });
}
