import { Controller, Get, Param } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { StoppedError } from 'nestjs-snowflake';
import { ParseSnowflakeIdPipe, SnowflakeExceptionFilter } from 'nestjs-snowflake/http';
import type { EntryPointUse } from '../entry-point-use.js';

@Controller('http')
class HttpController {
  @Get('orders/:id')
  find(@Param('id', ParseSnowflakeIdPipe) id: string): { id: string } {
    return { id };
  }

  @Get('stopped')
  stopped(): never {
    throw new StoppedError();
  }
}

export const http: EntryPointUse = {
  controllers: [HttpController],
  providers: [{ provide: APP_FILTER, useClass: SnowflakeExceptionFilter }],
  async use(_app, url) {
    const paths = ['orders/382475217496248322', 'orders/12x', 'stopped'];
    return Promise.all(paths.map(async (path) => (await fetch(`${url}/http/${path}`)).status));
  },
};
