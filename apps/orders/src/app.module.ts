import { Module, ValidationPipe } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { OrdersConfigModule } from './config/config.module.js';
import { ConsoleModule } from './console/console.module.js';
import { CustomersModule } from './customers/customers.module.js';
import { DatabaseModule } from './database/database.module.js';
import { GraphqlModule } from './graphql/graphql.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpErrorFilter } from './http/http-error.filter.js';
import { InputPipe } from './http/input.pipe.js';
import { QueryFailedFilter } from './http/query-failed.filter.js';
import { RateLimitModule } from '../../shared/src/http/rate-limit.module.js';
import { ClientThrottlerGuard } from './http/client-throttler.guard.js';
import { SnowflakeExceptionFilter } from 'nestjs-snowflake/http';
import { IdsModule } from './ids/ids.module.js';
import { InvoicesModule } from './invoices/invoices.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { ProductsModule } from './products/products.module.js';
import { BoundedShutdown } from '../../shared/src/shutdown/bounded-shutdown.js';
import { TicketsModule } from './tickets/tickets.module.js';

@Module({
  imports: [
    OrdersConfigModule,
    // SnowflakeModule registers the lease renewal here, as the interval `snowflake:lease:default`.
    ScheduleModule.forRoot(),
    IdsModule,
    DatabaseModule,
    CustomersModule,
    ProductsModule,
    OrdersModule,
    InvoicesModule,
    TicketsModule,
    GraphqlModule,
    HealthModule,
    MetricsModule,
    ConsoleModule,
    RateLimitModule.forRoot(ClientThrottlerGuard),
  ],
  providers: [
    { provide: APP_PIPE, useClass: InputPipe },
    {
      provide: APP_PIPE,
      useFactory: () => new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }),
    },
    { provide: APP_FILTER, useClass: HttpErrorFilter },
    { provide: APP_FILTER, useClass: QueryFailedFilter },
    { provide: APP_FILTER, useClass: SnowflakeExceptionFilter },
    BoundedShutdown,
  ],
})
export class AppModule {}
