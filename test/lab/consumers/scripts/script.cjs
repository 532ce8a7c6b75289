const { SnowflakeIdMaker, staticLeaseStore } = require('nestjs-snowflake/standalone');
const { prefixedCodec } = require('nestjs-snowflake/core');

async function main() {
  const ids = new SnowflakeIdMaker({ store: staticLeaseStore({ workerId: 3 }) });
  await ids.start();
  const codec = prefixedCodec('ord');
  const id = ids.nextId();
  const result = { workerId: ids.decode(codec.decode(codec.encode(id))).workerId };
  await ids.stop();
  console.log(JSON.stringify(result));
}

main();
