/** Variant of `main.ts` for the built backend: accepts upgrades; BOUNDED=false removes the bound on the shutdown. */
import { ConsoleLogger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { useContainer } from 'class-validator';

const built = (path) => import(new URL(`../../../../dist/apps/${path}.js`, import.meta.url).href);
const { AppModule } = await built('orders/src/app.module');
const { BoundedShutdown } = await built('shared/src/shutdown/bounded-shutdown');
const { exitAfterGrace } = await built('shared/src/shutdown/last-resort');
const { SHUTDOWN_CONFIG } = await built('shared/src/environment/server-environment');
const { serveApiDescription } = await built('orders/src/http/api-description');

const { BOUNDED, PORT } = process.env;
const isBounded = BOUNDED !== 'false';

const builder = Test.createTestingModule({ imports: [AppModule] }).setLogger(new ConsoleLogger());
if (!isBounded) builder.overrideProvider(BoundedShutdown).useValue({});
const app = (await builder.compile()).createNestApplication();
useContainer(app.select(AppModule), { fallbackOnErrors: true });
serveApiDescription(app);
app.getHttpServer().on('upgrade', (_request, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n');
});
app.enableShutdownHooks(['SIGTERM'], { useProcessExit: true });
if (isBounded) exitAfterGrace(['SIGTERM'], app.get(SHUTDOWN_CONFIG).graceMs);
await app.listen(PORT);
process.stdout.write(`listening on http://localhost:${app.getHttpServer().address().port}\n`);
