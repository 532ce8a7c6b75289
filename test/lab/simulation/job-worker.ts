import type { Job, JobReport } from './job-pool.js';
import { faultClass } from './faults.js';
import { protocolNamed } from './protocols/index.js';
import { simulate } from './simulation.js';

process.on('message', ({ seed, fault, protocol }: Job) => {
  void simulate({ seed, fault: faultClass(fault), protocol: protocolNamed(protocol) }).then(
    ({ verdict, stampErrors }) => {
      const report: JobReport = { verdict, stampErrors: stampErrors.toJSON() };
      process.send?.(report);
    },
  );
});
// What simulated processes hold keeps this one alive, and those that crash let go of nothing.
process.on('disconnect', () => process.exit());
