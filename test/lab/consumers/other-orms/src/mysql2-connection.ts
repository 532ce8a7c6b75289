import { withDriverDefaults } from './outcomes.js';

const EXACT = { supportBigNumbers: true, bigNumberStrings: true };

/** Returns the options of a connection to MariaDB: those of the page, or the defaults of mysql2 for a control. */
export function mysql2Connection() {
  const { hostname: host, port, username: user, password, pathname } = new URL(process.env.DATABASE_URL!);
  const options = withDriverDefaults ? {} : EXACT;
  return { host, port: Number(port), user, password, database: pathname.slice(1), ...options };
}
