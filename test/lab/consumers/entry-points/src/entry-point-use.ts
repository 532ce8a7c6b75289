import type { INestApplication, ModuleMetadata } from '@nestjs/common';

/** What an app does with one entry point of the library. */
export interface EntryPointUse extends Pick<ModuleMetadata, 'imports' | 'controllers' | 'providers'> {
  /** Uses the running app. Returns the result, or a function that returns it once the app has closed. */
  use(app: INestApplication, url: string): Promise<unknown>;
}
