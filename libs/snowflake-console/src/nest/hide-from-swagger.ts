import type { Type } from '@nestjs/common';

/** Leaves the console out of the app's OpenAPI document, if the app has one. */
export async function hideFromSwagger(controller: Type<object>): Promise<void> {
  try {
    const { ApiExcludeController } = await import('@nestjs/swagger');
    ApiExcludeController()(controller);
  } catch {
    // The app has no @nestjs/swagger.
  }
}
