import { Module } from '@nestjs/common';
import { SnowflakeIdMaker } from 'nestjs-snowflake';
import { snowflakeIds } from 'nestjs-snowflake/prisma';
import { PrismaService } from './prisma.service.js';
import { snowflakeModels } from './snowflake-models.js';

@Module({
  providers: [
    {
      provide: PrismaService,
      inject: [SnowflakeIdMaker],
      useFactory: (ids: SnowflakeIdMaker) => new PrismaService().$extends(snowflakeIds(ids, snowflakeModels)),
    },
  ],
  exports: [PrismaService],
})
export class PrismaModule {}
