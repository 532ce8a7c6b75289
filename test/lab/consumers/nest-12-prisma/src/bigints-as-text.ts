import type { NestExpressApplication } from '@nestjs/platform-express';

const asText = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value;

/** Call it before `app.listen()`. */
export function bigintsAsText(app: NestExpressApplication): void {
  app.set('json replacer', asText);
}
