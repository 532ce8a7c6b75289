import { Inject, Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { IdSource } from '../../core/ids/id-source.js';
import type { IdSourceName } from '../../core/ids/id-source-name.js';
import { requireMethods } from '../../core/options/option-checks.js';
import { type AppDatabase, databaseOf } from '../database-adapters.js';
import { Boot } from './boot.js';
import { providersIn } from './providers.js';

/** The databases among the providers of an app, which {@link databaseOf} recognizes. */
@Injectable()
export class AppDatabases {
  private willVerify = false;

  constructor(
    @Inject(ModulesContainer) private readonly modules: ModulesContainer,
    @Inject(Boot) private readonly boot: Boot,
  ) {}

  /**
   * Attaches a source, or what a test provides instead of it, to every database. At the end of startup, refuses databases that
   * could lose or round IDs.
   *
   * @throws InvalidOptionError if it can't serve entities
   */
  attach(name: IdSourceName, source: IdSource): void {
    if (!this.willVerify) this.boot.atEnd(() => this.verify());
    this.willVerify = true;
    const remedy = 'In a test, override it with fakeIdMaker() of nestjs-snowflake/testing.';
    for (const database of this.all()) {
      database.attach(name, requireMethods('ID maker', source, ['nextId', 'ready'], remedy));
    }
  }

  /** All sources have been attached by now. */
  private async verify(): Promise<void> {
    for (const database of this.all()) await database.verify();
  }

  private all(): AppDatabase[] {
    return [...providersIn(this.modules)].flatMap((provider) => databaseOf(provider) ?? []);
  }
}
