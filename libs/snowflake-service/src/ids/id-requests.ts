import { integer, strictObject, text } from 'nestjs-snowflake/internal/kit/schema';

/** The instance of a request that names none. */
export const DEFAULT_INSTANCE = 'default';
/** The largest bound that a service can have. */
export const MOST_AT_ONCE = 10_000;
export const COUNT = integer(1, MOST_AT_ONCE, 'The service can have a lower bound.');

/** The body of a request for IDs. */
export const IDS_BODY = strictObject(
  {
    count: { ...COUNT, default: 1 },
    instance: { ...text('Name of an ID maker of the app.'), default: DEFAULT_INSTANCE },
  },
  ['count', 'instance'],
);

/** The parameters in the address of a request for IDs, which are text there. */
export const IDS_QUERY = strictObject({ count: text(), instance: text() }, ['count', 'instance']);
export const INSTANCE_QUERY = strictObject({ instance: text() }, ['instance']);
