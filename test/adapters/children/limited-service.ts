/** Serves IDs and leases with the limits of a page, on each platform, and sends the URLs to the parent. */
import 'reflect-metadata';
import { type INestApplication, Module, type Type } from '@nestjs/common';
import { SnowflakeModule, memoryLeaseStore } from 'nestjs-snowflake';
import { bearerTokens, SnowflakeServiceModule } from 'nestjs-snowflake-service';
import { storeOfTests } from '../../../libs/snowflake-service/test/service-app.js';
import { HttpApp, PLATFORMS } from '../http-apps.js';

/** Imports of a page that a spec has written to a folder. */
const [limitsFile = ''] = process.argv.slice(2);
const { ClientLimitsModule } = (await import(limitsFile)) as { ClientLimitsModule: Type };
const { BILLING_TOKEN = '' } = process.env;

const urls: Record<string, string> = {};
for (const platform of PLATFORMS) {
  const authorize = bearerTokens([{ token: BILLING_TOKEN, scopes: ['ids', 'leases'] }]);
  @Module({
    imports: [
      ClientLimitsModule,
      SnowflakeModule.forRoot({ store: memoryLeaseStore() }),
      SnowflakeServiceModule.forRoot({ authorize, leases: { shop: storeOfTests() } }),
    ],
  })
  class AppModule {}
  const { app }: { app: INestApplication } = await HttpApp.start(platform, AppModule);
  urls[platform] = await app.getUrl();
}
process.send?.({ urls });
