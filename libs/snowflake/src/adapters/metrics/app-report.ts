import type { ModulesContainer } from '@nestjs/core';
import type { CallMeter } from '../../kit/call-meter.js';
import { callMetersIn, segmentMetersIn } from '../../kit/nest/meters.js';
import type { SegmentMeter } from '../../kit/segment-meter.js';
import type { SnowflakeIdMaker } from '../../maker/snowflake-id-maker.js';
import { idMakersIn } from '../../nest/instances.js';

/** Reports metrics to one library. Each method returns a function that ends the report. */
export interface MetricsReporter {
  /** Reports an ID maker until it stops. */
  maker(instance: string, maker: SnowflakeIdMaker): () => void;
  calls(meter: CallMeter): () => void;
  segments(meter: SegmentMeter): () => void;
}

/** The metrics of an app: those of its ID makers, ID services, series and segments. */
export class AppReport {
  private readonly endings: (() => void)[] = [];

  /** Reports what exists in the app by now. */
  begin(modules: ModulesContainer, reporter: MetricsReporter): void {
    // These reports end when the maker stops.
    for (const [instance, maker] of idMakersIn(modules)) reporter.maker(instance, maker);
    for (const meter of callMetersIn(modules)) this.endings.push(reporter.calls(meter));
    for (const meter of segmentMetersIn(modules)) this.endings.push(reporter.segments(meter));
  }

  end(): void {
    for (const end of this.endings.splice(0)) end();
  }
}
