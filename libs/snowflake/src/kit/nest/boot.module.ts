import { Global, Module } from '@nestjs/common';
import { AppDatabases } from './app-databases.js';
import { Boot } from './boot.js';

/**
 * Provides one boot per app: Nest creates one instance of a static module, however many modules import it. It is global so that its
 * checks come before the hooks of the app's own modules, which may write rows.
 */
@Global()
@Module({ providers: [Boot, AppDatabases], exports: [Boot, AppDatabases] })
export class BootModule {}
