/** An issuing process with the library's sources, because no entry point lets a user replace the scripts, or what a store sees. */
import { SnowflakeIdMaker } from '../../../../libs/snowflake/src/maker/snowflake-id-maker.js';
import { etcdStoreWithoutHistory } from '../support/etcd-without-history.js';
import { runIssuingProcess } from '../support/issuing-process.js';
import { storeWithScripts } from '../support/script-variants.js';

await runIssuingProcess({
  makeStore: ({ store, scripts, etcd }) =>
    etcd ? etcdStoreWithoutHistory(etcd) : storeWithScripts(store, scripts),
  makeMaker: (options, clock) => new SnowflakeIdMaker(options, { clock }),
});
