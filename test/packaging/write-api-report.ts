import { writeFileSync } from 'node:fs';
import { apiReport, REPORT } from './api-report.js';

writeFileSync(REPORT, apiReport());
