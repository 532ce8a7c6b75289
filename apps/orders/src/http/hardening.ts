import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';

/** What the HTTP server lets through. */
export interface HardeningConfig {
  readonly bodyLimitBytes: number;
  readonly trustedProxies: number;
}

/** Sets security headers, bounds request bodies, and hides what the server is made of. */
export function harden(
  app: NestExpressApplication,
  { bodyLimitBytes, trustedProxies }: HardeningConfig,
): void {
  app.disable('x-powered-by');
  app.set('trust proxy', trustedProxies);
  app.use(
    helmet({
      // This server speaks HTTP: a browser that is told to ask for HTTPS instead would find no script of /docs.
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
    }),
  );
  app.useBodyParser('json', { limit: bodyLimitBytes });
}
