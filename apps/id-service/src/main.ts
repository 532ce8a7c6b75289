import { existsSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { answerInTurn, SnowflakeProblemFilter } from 'nestjs-snowflake-service';
import { asksForHelp } from '../../shared/src/environment/arguments.js';
import { EnvironmentError } from '../../shared/src/environment/environment.js';
import { helpOf } from '../../shared/src/environment/help.js';
import { SHUTDOWN_CONFIG, type ShutdownConfig } from '../../shared/src/environment/server-environment.js';
import { listen } from '../../shared/src/http/listen.js';
import { consoleLogger } from '../../shared/src/logging/console-logger.js';
import { exitAfterGrace } from '../../shared/src/shutdown/last-resort.js';
import { AppModule } from './app.module.js';
import { Environment, readEnvironment } from './config/environment.js';
import { CONSOLE_PATH } from './console/console.module.js';
import { serveApiDescription } from './http/api-description.js';
import { platform } from './http/platform.js';
import { writeFirstToken } from './tokens/first-token.js';
import { TokenFile } from './tokens/token-file.js';

const SIGNALS: NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];

async function start(): Promise<void> {
  // Nest would log an invalid variable with a stack trace, like a bug, so the environment is read before.
  const environment = readEnvironment(process.env);
  const tokens = await tokensOf(environment);
  const { PORT, GRPC_PORT } = environment;
  // Loads the packages of gRPC only where they are needed.
  const grpc = GRPC_PORT === undefined ? undefined : await import('./grpc/grpc-server.js');
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(environment, tokens, grpc?.grpcTransport),
    platform(environment),
    { logger: consoleLogger(environment) },
  );
  app.use(answerInTurn());
  app.useGlobalFilters(app.get(SnowflakeProblemFilter));
  serveApiDescription(app);
  // Ends with exit code 0 after a clean shutdown. By default, the signal would end the process.
  app.enableShutdownHooks(SIGNALS, { useProcessExit: true });
  exitAfterGrace(SIGNALS, app.get<ShutdownConfig>(SHUTDOWN_CONFIG).graceMs);
  if (grpc && GRPC_PORT !== undefined) await grpc.listenForGrpc(app, GRPC_PORT);
  announce(await listen(app, PORT), environment);
}

async function tokensOf({ TOKENS_FILE, NODE_ENV }: Environment): Promise<TokenFile> {
  if (!existsSync(TOKENS_FILE)) {
    if (NODE_ENV === 'production')
      throw new EnvironmentError([
        `TOKENS_FILE must name a file with tokens (${TOKENS_FILE} is missing). In development, set NODE_ENV=development`,
      ]);
    await writeFirstToken(TOKENS_FILE);
  }
  return new TokenFile(TOKENS_FILE);
}

function announce(url: string, { TOKENS_FILE, GRPC_PORT, ID_INSTANCES: [instance] }: Environment): void {
  const grpc = GRPC_PORT === undefined ? '' : `gRPC is listening on port ${GRPC_PORT}, without TLS\n`;
  console.log(`
The ID service is listening on ${url}
${grpc}The console is at ${url}${CONSOLE_PATH}. Its password is a token in ${TOKENS_FILE}.
Try: TOKEN=$(node -p "JSON.parse(fs.readFileSync('${TOKENS_FILE}'))[0].token")
     curl -s -H "Authorization: Bearer $TOKEN" '${url}/v1/ids?count=3&instance=${instance}'
`);
}

try {
  if (asksForHelp(process.argv.slice(2)))
    console.log(helpOf('Serves Snowflake IDs and numbers, and leases worker IDs.', Environment));
  else await start();
} catch (error) {
  console.error(error instanceof EnvironmentError ? error.message : error);
  process.exitCode = 1;
}
