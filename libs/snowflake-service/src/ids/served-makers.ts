import { Inject, Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { idMakersIn, type SnowflakeIdMaker } from 'nestjs-snowflake';
import { requireCount } from '../requests/request-count.js';
import { unknownName } from '../requests/request-refusal.js';
import type { ServiceSettings } from '../settings/service-options.js';
import { SERVICE_SETTINGS } from '../settings/service-tokens.js';
import { DEFAULT_INSTANCE } from './id-requests.js';

/** The ID makers of the app, by the names of their instances. */
@Injectable()
export class ServedMakers {
  @Inject(ModulesContainer) private readonly modules!: ModulesContainer;
  @Inject(SERVICE_SETTINGS) private readonly settings!: ServiceSettings;
  /** Those of earlier calls, because a look at all modules costs more than generating an ID. */
  private readonly found = new Map<string, SnowflakeIdMaker>();

  /** @throws RequestRefusal; SnowflakeError of the maker */
  nextIds(instance: string | undefined, count: number): readonly string[] {
    return this.find(instance).nextIds(requireCount(count, this.settings.maxCount));
  }

  /** @throws RequestRefusal; SnowflakeError of the maker */
  nextBigInts(instance: string | undefined, count: number): BigUint64Array {
    return this.find(instance).nextBigInts(requireCount(count, this.settings.maxCount));
  }

  all(): readonly SnowflakeIdMaker[] {
    return [...idMakersIn(this.modules).values()];
  }

  /** @throws RequestRefusal if the app has no such instance */
  find(instance = DEFAULT_INSTANCE): SnowflakeIdMaker {
    const maker = this.found.get(instance) ?? idMakersIn(this.modules).get(instance);
    if (!maker) throw unknownName('instance');
    this.found.set(instance, maker);
    return maker;
  }
}
