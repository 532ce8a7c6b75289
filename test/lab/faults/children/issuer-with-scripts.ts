/** An issuing process with the library's sources, because no entry point lets a user replace the scripts. */
import { SnowflakeIdMaker } from '../../../../libs/snowflake/src/maker/snowflake-id-maker.js';
import { runIssuingProcess } from '../support/issuing-process.js';
import { storeWithScripts } from '../support/script-variants.js';

await runIssuingProcess({
  makeStore: ({ store, scripts }) => storeWithScripts(store, scripts),
  makeMaker: (options, clock) => new SnowflakeIdMaker(options, { clock }),
});
