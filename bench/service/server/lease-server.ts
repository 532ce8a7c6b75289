/** The process whose CPU time is measured: a service on Fastify that passes on leases to Redis and PostgreSQL. */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { redisLeaseStore } from 'nestjs-snowflake/redis';
import { SnowflakeServiceModule } from 'nestjs-snowflake-service';
import { sqlLeaseStore } from 'nestjs-snowflake/sql';
import { authorize } from './authorization.js';
import { answerCpuQuestions } from './cpu-answers.js';
import { listenOnFastify } from './nest-apps.js';

export interface LeaseServerReady {
  readonly url: string;
}

const [redisUrl = '', postgresUrl = ''] = process.argv.slice(2);

@Module({
  imports: [
    SnowflakeServiceModule.forRoot({
      authorize,
      leases: {
        redis: redisLeaseStore({ url: redisUrl, namespace: 'through' }),
        holders: redisLeaseStore({ url: redisUrl, namespace: 'holders' }),
        postgres: sqlLeaseStore({ url: postgresUrl, namespace: 'through', createTable: true }),
      },
    }),
  ],
})
class AppModule {}

const url = await listenOnFastify(AppModule);
answerCpuQuestions();
process.send?.({ url } satisfies LeaseServerReady);
