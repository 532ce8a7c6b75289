import { Controller, Get, Header, Inject, Injectable, Module, UseGuards } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import { SnowflakePrometheusModule } from 'nestjs-snowflake/prometheus';
import { register } from 'prom-client';
import { OperatorAccess } from '../tokens/operator-access.js';
import { TokenFile } from '../tokens/token-file.js';

@Injectable()
class MetricsAccess extends OperatorAccess {
  constructor(@Inject(TokenFile) tokens: TokenFile, @Inject(HttpAdapterHost) host: HttpAdapterHost) {
    super('/metrics', tokens, host);
  }
}

/** Exempt from the rate limit, because Prometheus scrapes all the time from one address. */
@SkipThrottle()
@ApiExcludeController()
@UseGuards(MetricsAccess)
@Controller('metrics')
class MetricsController {
  @Get()
  @Header('content-type', register.contentType)
  metrics(): Promise<string> {
    return register.metrics();
  }
}

/** Serves the metrics of all instances to Prometheus. */
@Module({ imports: [SnowflakePrometheusModule], controllers: [MetricsController] })
export class MetricsModule {}
