import type { EntryPointUse } from '../entry-point-use.js';
import { snowflakeConsole } from './console.js';
import { grpc } from './grpc.js';
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
export const entryPoints: Record<string, EntryPointUse> = {
  http,
  validation,
  swagger,
  terminus,
  opentelemetry,
  prometheus,
  testing,
  series,
  segments,
  grpc,
  console: snowflakeConsole,
};
