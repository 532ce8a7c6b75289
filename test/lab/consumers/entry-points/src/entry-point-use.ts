import type { INestApplication, ModuleMetadata } from '@nestjs/common';

/** What an app does with one entry point of the library. */
export interface EntryPointUse extends Pick<ModuleMetadata, 'imports' | 'controllers' | 'providers'> {
  /** Uses the running app. Returns what it gave, or a function that tells it when the app has closed. */
  use(app: INestApplication, url: string): Promise<unknown>;
}
