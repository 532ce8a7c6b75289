import { Module } from '@nestjs/common';
import { memoryLeaseStore, SnowflakeModule } from 'nestjs-snowflake';

@Module({ imports: [SnowflakeModule.forRoot({ store: memoryLeaseStore() })] })
export class IdsModule {}
