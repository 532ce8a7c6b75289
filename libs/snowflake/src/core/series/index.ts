export { writeDate, type CivilDate } from './civil-date.js';
export type { SeriesReset } from './period.js';
export { SeriesDefinition } from './series-definition.js';
export { SERIES_OPTIONS, type SeriesOptions } from './series-options.js';
