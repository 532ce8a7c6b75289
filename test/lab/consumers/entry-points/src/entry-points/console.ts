import { SnowflakeConsoleModule } from 'nestjs-snowflake-console';
import type { EntryPointUse } from '../entry-point-use.js';

interface Request {
  readonly headers: Record<string, string | undefined>;
}

const OPERATOR = { 'x-operator': 'yes' };

export const snowflakeConsole: EntryPointUse = {
  imports: [
    SnowflakeConsoleModule.forRoot({
      path: '/snowflake',
      authorize: (context) => context.switchToHttp().getRequest<Request>().headers['x-operator'] === 'yes',
    }),
  ],
  async use(_app, url) {
    const stranger = await fetch(`${url}/snowflake/`);
    const page = await fetch(`${url}/snowflake/`, { headers: OPERATOR });
    const isPage = (await page.text()).includes('<div id="root">');
    const made = await fetch(`${url}/snowflake/api/ids`, {
      method: 'POST',
      headers: { ...OPERATOR, 'content-type': 'application/json', 'x-snowflake-console': '1' },
      body: JSON.stringify({ maker: 'default', count: 3 }),
    });
    const { ids } = (await made.json()) as { ids: string[] };
    return [stranger.status, isPage, ids.length];
  },
};
