/** The Worker of docs/operations/id-service.md, and beside it what that page advises against. */
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';
import ofPage from './ids.worker.ts';

export { Ids } from './ids.worker.ts';

const COUNT = 1000;
const LEASE = { windowMs: 3000, renewEveryMs: 300, callTimeoutMs: 500, maxSkewMs: 1000, reserveMs: 50 };

/** It outlives the request, but its timers do not. */
let globalMaker;

async function requested({ ID_SERVICE_URL, SHOP_TOKEN }) {
  const response = await fetch(`${ID_SERVICE_URL}/v1/ids?instance=shop&count=${COUNT}`, {
    headers: { authorization: `Bearer ${SHOP_TOKEN}` },
  });
  const { ids } = await response.json();
  return ids;
}

async function madeByGlobal({ ID_SERVICE_URL: url, SHOP_TOKEN: token }) {
  globalMaker ??= new SnowflakeIdMaker({
    store: remoteLeaseStore({ url, token, namespace: 'shop' }),
    lease: LEASE,
  });
  await globalMaker.ready();
  return globalMaker.nextIds(COUNT);
}

async function made(pathname, env) {
  if (pathname === '/requested') return requested(env);
  if (pathname === '/global') return madeByGlobal(env);
  return env.IDS.getByName(pathname).nextIds(COUNT);
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === '/') return ofPage.fetch(request, env);
    try {
      return Response.json(await made(pathname, env));
    } catch ({ code, message }) {
      return Response.json({ code, message }, { status: 503 });
    }
  },
};
