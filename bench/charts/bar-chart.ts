import { type EChartsOption, format, init } from 'echarts';

/** Bars from zero on one linear scale. Each has its value next to it, so there is no axis to read. */
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
  /** Gives the row its color: what the chart is about, something to compare it with, or something that doesn't work. */
  readonly tone: 'subject' | 'other' | 'faulty';
  /** `undefined` where there is nothing to measure. */
  readonly values: readonly (number | undefined)[];
}

/** Pages are at least this wide. A wider chart would be scaled down, and its text with it. */
const WIDTH = 600;
const PADDING = 24;
const BOTTOM = 18;
const ROW_HEIGHT = 34;
/** The title and the headings of the columns. */
const HEAD_HEIGHT = 86;
const NOTE_HEIGHT = 21;
/** The font of the viewer is unknown, so these assume a wide one. */
const LABEL_CHARACTER_WIDTH = 9;
const VALUE_WIDTH = 72;

/** Each color, and the one that replaces it on a dark page. */
const COLORS = {
  card: { light: '#ffffff', dark: '#0d1117' },
  border: { light: '#d1d9e0', dark: '#3d444d' },
  text: { light: '#1f2328', dark: '#f0f6fc' },
  muted: { light: '#59636e', dark: '#b7bdc8' },
  subject: { light: '#0969da', dark: '#4493f8' },
  other: { light: '#818b98', dark: '#9198a1' },
  faulty: { light: '#d1242f', dark: '#f85149' },
} as const;

const TEXT = { fontSize: 16, color: COLORS.text.light };

/** ECharts writes colors as attributes, which yield to these rules. */
const DARK_RULES = Object.values(COLORS).map(
  ({ light, dark }) => `[fill='${light}'] { fill: ${dark} } [stroke='${light}'] { stroke: ${dark} }`,
);

/** Returns an SVG that is readable on light and dark pages, and in words. */
export function barChartSvg(chart: BarChart): string {
  const { notes, rows } = chart;
  const height = HEAD_HEIGHT + notes.length * NOTE_HEIGHT + rows.length * ROW_HEIGHT + BOTTOM;
  const drawing = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  drawing.setOption(optionOf(chart, height));
  const svg = drawing.renderToSVGString();
  drawing.dispose();
  return svg.replace(/^<svg ([^>]*)>/, (_, attributes) =>
    [
      `<svg ${attributes} role="img" aria-labelledby="title desc">`,
      `<title id="title">${format.encodeHTML(chart.title)}</title>`,
      `<desc id="desc">${format.encodeHTML(inWords(chart))}</desc>`,
      `<style>@media (prefers-color-scheme: dark) { ${DARK_RULES.join(' ')} }</style>`,
    ].join('\n'),
  );
}

function optionOf(chart: BarChart, height: number): EChartsOption {
  return {
    animation: false,
    textStyle: { fontFamily: "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" },
    graphic: {
      type: 'rect',
      shape: { x: 0.5, y: 0.5, width: WIDTH - 1, height: height - 1, r: 10 },
      style: { fill: COLORS.card.light, stroke: COLORS.border.light },
      z: -1,
    },
    title: {
      text: chart.title,
      subtext: chart.notes.join('\n'),
      left: PADDING,
      top: PADDING,
      padding: 0,
      itemGap: 6,
      textStyle: { ...TEXT, fontSize: 20, fontWeight: 600 },
      subtextStyle: { ...TEXT, color: COLORS.muted.light, lineHeight: NOTE_HEIGHT },
    },
    ...columnsOf(chart),
  };
}

/** A grid with its axes and its bars for each column. Only the first one has labels. */
function columnsOf({ columns, rows }: BarChart): EChartsOption {
  const labels = rows.map(({ label }) => label);
  const left = PADDING + 8 + LABEL_CHARACTER_WIDTH * Math.max(...labels.map(({ length }) => length));
  const columnWidth = (WIDTH - left) / columns.length;
  const max = Math.max(...rows.flatMap(({ values }) => values.map((value) => value ?? 0)));
  return {
    grid: columns.map((_, at) => ({
      left: left + at * columnWidth,
      width: columnWidth - VALUE_WIDTH,
      bottom: BOTTOM,
      height: rows.length * ROW_HEIGHT,
    })),
    xAxis: columns.map((_, gridIndex) => ({ gridIndex, show: false, max })),
    yAxis: columns.map((name, gridIndex) => ({
      gridIndex,
      type: 'category',
      data: labels,
      inverse: true,
      name,
      nameLocation: 'start',
      nameGap: 10,
      nameTextStyle: { ...TEXT, align: 'left', fontWeight: 600 },
      axisTick: { show: false },
      axisLine: { lineStyle: { color: COLORS.other.light, width: 1.5 } },
      axisLabel: { ...TEXT, show: gridIndex === 0, align: 'left', margin: left - PADDING },
    })),
    series: columns.map((_, column) => ({
      type: 'bar',
      silent: true,
      xAxisIndex: column,
      yAxisIndex: column,
      barWidth: 22,
      label: { ...TEXT, show: true, position: 'right', distance: 8 },
      data: rows.map(({ values, tone }) => ({
        value: values[column] ?? 0,
        itemStyle: { color: COLORS[tone].light },
        label: { formatter: shortNumber(values[column]) },
      })),
    })),
  };
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
function shortNumber(value: number | undefined): string {
  if (value === undefined) return '–';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  // The tables round so, too. toLocaleString() alone would round a binary 1.115 up.
  const shown = Number(value.toFixed(digits));
  return shown.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
