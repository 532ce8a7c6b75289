import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

const PATH = 'openapi.json';

/** Serves the OpenAPI document to everybody, for tools that generate clients. */
export function serveApiDescription(app: INestApplication): void {
  const description = new DocumentBuilder()
    .setTitle('IDs')
    .setVersion('1')
    .addBearerAuth({ type: 'http', bearerFormat: 'opaque' })
    .build();
  SwaggerModule.setup('', app, () => SwaggerModule.createDocument(app, description), {
    ui: false,
    raw: ['json'],
    jsonDocumentUrl: PATH,
  });
}
