import { writeFileSync } from 'node:fs';
import { apiReport, CONSOLE, LIBRARY, reportFile } from './api-report.js';

for (const published of [LIBRARY, CONSOLE]) writeFileSync(reportFile(published), apiReport(published));
