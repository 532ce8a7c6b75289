/** Bars from zero on one linear scale. Each has its value beside it, so there is no axis to read. */
export interface BarChart {
  readonly title: string;
  /** Lines under the title: what was measured, and the unit unless the title or the headings have it. */
  readonly notes: readonly string[];
  /** Headings of the columns. They share the scale, so that bars can be compared across them. */
  readonly columns: readonly string[];
  readonly rows: readonly BarRow[];
}

/** A row of bars, one for each column. */
export interface BarRow {
  readonly label: string;
  /**
   * Gives the row its color: what the chart is about, something beside it, or something that doesn't work.
   *
   * @defaultValue `other`
   */
  readonly tone?: 'subject' | 'other' | 'faulty';
  /** `undefined` where there is nothing to measure. */
  readonly values: readonly (number | undefined)[];
}

/** Pages are at least this wide. A wider chart would be scaled down, and its text with it. */
const WIDTH = 600;
const PADDING = 24;
const COLUMN_GAP = 14;
const TITLE_BASELINE = 38;
const NOTE_HEIGHT = 21;
const HEADING_HEIGHT = 34;
const ROW_HEIGHT = 34;
const BAR_HEIGHT = 22;
/** The font of the viewer is unknown, so these assume a wide one. */
const LABEL_CHARACTER_WIDTH = 9;
const VALUE_CHARACTER_WIDTH = 9.5;
const TEXT_GAP = 8;

const STYLE = `
  <style>
    .card { fill: #ffffff; stroke: #d1d9e0 }
    text { fill: #1f2328; font: 16px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif }
    .title { font-size: 20px; font-weight: 600 }
    .heading { font-weight: 600 }
    .muted { fill: #59636e }
    .axis { stroke: #818b98; stroke-width: 1.5 }
    .subject { fill: #0969da } .other { fill: #818b98 } .faulty { fill: #d1242f }
    @media (prefers-color-scheme: dark) {
      .card { fill: #0d1117; stroke: #3d444d }
      text { fill: #f0f6fc }
      .muted { fill: #b7bdc8 }
      .axis { stroke: #9198a1 }
      .subject { fill: #4493f8 } .other { fill: #9198a1 } .faulty { fill: #f85149 }
    }
  </style>`;

/** Returns an SVG that is readable on light and dark pages, and in words. */
export function barChartSvg(chart: BarChart): string {
  const { title, notes, columns, rows } = chart;
  const headingBaseline = TITLE_BASELINE + notes.length * NOTE_HEIGHT + HEADING_HEIGHT;
  const top = headingBaseline + 10;
  const bottom = top + rows.length * ROW_HEIGHT;
  const height = bottom + PADDING - 6;
  const lefts = columnLefts(chart);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title desc">`,
    `  <title id="title">${escaped(title)}</title>`,
    `  <desc id="desc">${escaped(inWords(chart))}</desc>${STYLE}`,
    `  <rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10" />`,
    textAt(PADDING, TITLE_BASELINE, title, 'title'),
    ...notes.map((note, at) => textAt(PADDING, TITLE_BASELINE + 4 + (at + 1) * NOTE_HEIGHT, note, 'muted')),
    ...columns.map((column, at) => textAt(lefts[at] ?? 0, headingBaseline, column, 'heading')),
    ...rows.flatMap((row, at) => rowElements(chart, row, lefts, top + at * ROW_HEIGHT)),
    ...lefts.map((left) => `  <path class="axis" d="M${left} ${top} V${bottom}" />`),
    '</svg>',
    '',
  ].join('\n');
}

function rowElements(chart: BarChart, row: BarRow, lefts: readonly number[], top: number): string[] {
  const middle = top + ROW_HEIGHT / 2;
  const baseline = middle + 5.5;
  const widthPerUnit =
    longestBar(chart) / Math.max(...chart.rows.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const bars = row.values.flatMap((value, at) => {
    const left = lefts[at] ?? 0;
    if (value === undefined) return [textAt(left + TEXT_GAP, baseline, '–', 'muted')];
    const width = rounded(value * widthPerUnit);
    return [
      `  <rect class="${row.tone ?? 'other'}" x="${left}" y="${middle - BAR_HEIGHT / 2}" width="${width}" height="${BAR_HEIGHT}" />`,
      textAt(rounded(left + width + TEXT_GAP), baseline, shortNumber(value)),
    ];
  });
  return [textAt(PADDING, baseline, row.label), ...bars];
}

/** Where the bars of each column begin. */
function columnLefts(chart: BarChart): number[] {
  const step = columnWidth(chart) + COLUMN_GAP;
  return chart.columns.map((_, at) =>
    rounded(WIDTH - PADDING + COLUMN_GAP - (chart.columns.length - at) * step),
  );
}

function columnWidth({ columns, rows }: BarChart): number {
  const labelWidth = LABEL_CHARACTER_WIDTH * Math.max(...rows.map(({ label }) => label.length));
  const left = PADDING + labelWidth + TEXT_GAP;
  return (WIDTH - PADDING - left - (columns.length - 1) * COLUMN_GAP) / columns.length;
}

/** Leaves room for the longest value behind the bar. */
function longestBar(chart: BarChart): number {
  const texts = chart.rows.flatMap(({ values }) => values.map((value) => shortNumber(value ?? 0)));
  return (
    columnWidth(chart) - TEXT_GAP - VALUE_CHARACTER_WIDTH * Math.max(...texts.map(({ length }) => length))
  );
}

function textAt(x: number, y: number, text: string, className?: string): string {
  return `  <text${className ? ` class="${className}"` : ''} x="${x}" y="${y}">${escaped(text)}</text>`;
}

function inWords({ notes, columns, rows }: BarChart): string {
  const lines = rows.map(({ label, values }) => {
    const parts = values.flatMap((value, at) =>
      value === undefined ? [] : [`${columns[at]} ${shortNumber(value)}`],
    );
    return `${label}: ${parts.join('; ')}.`;
  });
  return [...notes, ...lines].join(' ');
}

/** Three digits are enough: a chart shows proportions, the tables hold the numbers. */
function shortNumber(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  // As the tables round it: toLocaleString() alone would round a binary 1.115 up.
  const shown = Number(value.toFixed(digits));
  return shown.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
