import { SnowflakeIdMaker, staticLeaseStore } from 'nestjs-snowflake/standalone';
import { prefixedCodec } from 'nestjs-snowflake/core';

const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 4 }) });
await ids.start();
const codec = prefixedCodec('ord');
const id = ids.nextId();
const result = { workerId: ids.decode(codec.decode(codec.encode(id))).workerId };
await ids.stop();
console.log(JSON.stringify(result));
