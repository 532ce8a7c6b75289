import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { SnowflakeModule } from 'nestjs-snowflake';
import { redisLeaseStore } from 'nestjs-snowflake/redis';

@Module({
  imports: [
    ConfigModule.forRoot({ isGlobal: true }),
    SnowflakeModule.forRootAsync({
      inject: [ConfigService],
      useFactory: (config: ConfigService) => ({
        store: redisLeaseStore({ url: config.getOrThrow<string>('REDIS_URL'), namespace: 'shop' }),
      }),
    }),
  ],
})
export class AppModule {}
