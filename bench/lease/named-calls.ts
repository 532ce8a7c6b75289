import type { CallCost } from './measure/call-cost.js';
import type { Report } from './report.js';

const GOAL_US = { claimOfAll: 2000, claimOfMany: 2000 };

/** The kinds of call, in the order of the table and the chart. */
export function namedCalls({ calls, settings }: Report): { name: string; cost: CallCost; goalUs?: number }[] {
  const many = settings.manyWorkerIds.toLocaleString('en-US');
  return [
    { name: 'renewal', cost: calls.renewal },
    { name: 'claim, fresh worker ID', cost: calls.freshClaim },
    { name: 'claim, longest offline of 1,024', cost: calls.offlineClaim, goalUs: GOAL_US.claimOfAll },
    {
      name: `claim, longest offline of ${many}`,
      cost: calls.offlineClaimOfMany,
      goalUs: GOAL_US.claimOfMany,
    },
  ];
}
