import { bearerTokens } from 'nestjs-snowflake-service';
import { TOKEN } from '../endpoints.js';

/** What the service and the guarded route of its rival call: two tokens, of which the second is the right one. */
export const authorize = bearerTokens([
  { token: 'another-token-of-the-benchmark', scopes: ['read'] },
  { token: TOKEN, scopes: ['ids', 'leases'] },
]);
