import { jest } from '@jest/globals';
import { Catch, type ExceptionFilter, Module, ServiceUnavailableException } from '@nestjs/common';
import { HealthCheckService } from '@nestjs/terminus';
import { SnowflakeHealthIndicator } from 'nestjs-snowflake/terminus';
import { HttpApp } from '../../../test/adapters/http-apps.js';
import { HealthReport } from '../../shared/src/health/health-report.js';

// It is CommonJS that requires Nest, which is an ES module. Jest can't load that on Node 20.
jest.unstable_mockModule('@nestjs/throttler', () => ({ SkipThrottle: () => () => undefined }));
const { HealthController } = await import('../src/health/health.controller.js');

const REPORT = { status: 'error', details: { default: { status: 'down' } } };

/** Takes all errors that no other filter takes, as the filter of the service does. */
@Catch()
class Everything implements ExceptionFilter {
  catch(error: unknown): never {
    throw error;
  }
}

const failing = { of: () => Promise.reject(new ServiceUnavailableException(REPORT)) };

@Module({
  controllers: [HealthController],
  providers: [
    { provide: HealthCheckService, useValue: {} },
    { provide: SnowflakeHealthIndicator, useValue: {} },
    { provide: HealthReport, useValue: failing },
  ],
})
class HealthModule {}

it('answers a failed health check with its report, whatever filter the app has', async () => {
  const app = await HttpApp.start('Fastify', HealthModule, (nest) => {
    nest.useGlobalFilters(new Everything());
  });
  try {
    expect(await app.get('/health')).toMatchObject({ status: 503, body: REPORT });
    expect(await app.get('/health/live')).toMatchObject({ status: 503, body: REPORT });
  } finally {
    await app.stop();
  }
});
