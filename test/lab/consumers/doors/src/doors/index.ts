import type { DoorUse } from '../door-use.js';
import { snowflakeConsole } from './console.js';
import { http } from './http.js';
import { opentelemetry } from './opentelemetry.js';
import { prometheus } from './prometheus.js';
import { series } from './series.js';
import { segments } from './segments.js';
import { swagger } from './swagger.js';
import { terminus } from './terminus.js';
import { testing } from './testing.js';
import { validation } from './validation.js';

/** By the name of the entry point. */
export const doors: Record<string, DoorUse> = {
  http,
  validation,
  swagger,
  terminus,
  opentelemetry,
  prometheus,
  testing,
  series,
  segments,
  console: snowflakeConsole,
};
