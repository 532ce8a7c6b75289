/** Leases a worker ID through a service, generates IDs, and prints them. */
import process from 'node:process';
import { remoteLeaseStore } from 'nestjs-snowflake/remote';
import { SnowflakeIdMaker } from 'nestjs-snowflake/standalone';

const { ID_SERVICE_URL: url, ID_SERVICE_TOKEN: token } = process.env;
const ids = new SnowflakeIdMaker({ store: remoteLeaseStore({ url, token, namespace: 'shop' }) });
await ids.ready();
const made = ids.nextIds(1000);
await ids.stop();
const runtime = globalThis.Bun ? 'bun' : globalThis.Deno ? 'deno' : 'node';
console.log(JSON.stringify({ runtime, made }));
