import { LateIdMaker } from 'nestjs-snowflake/standalone';

/** The schema needs it before Nest makes the ID maker. `DatabaseModule` binds it. */
export const ids = new LateIdMaker();
