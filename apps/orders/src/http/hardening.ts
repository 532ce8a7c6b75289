import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import { answerInTurn } from 'nestjs-snowflake-service';
import type { HttpConfig } from '../../../shared/src/environment/server-environment.js';

/** Sets security headers, limits request bodies and pipelined requests, and hides the framework's name. */
export function harden(app: NestExpressApplication, { bodyLimitBytes, trustedProxies }: HttpConfig): void {
  app.disable('x-powered-by');
  app.set('trust proxy', trustedProxies);
  app.use(answerInTurn());
  app.use(
    helmet({
      // This server has no TLS. With this directive, browsers would request the scripts of /docs over HTTPS.
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
    }),
  );
  app.useBodyParser('json', { limit: bodyLimitBytes });
}
