import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BarChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { LabelLayout } from 'echarts/features';
import { SVGRenderer } from 'echarts/renderers';

use([BarChart, GridComponent, LegendComponent, TitleComponent, LabelLayout, SVGRenderer]);

/** The content of a bar chart. */
export interface BarChartOptions {
  title: string;
  subtitle?: string;
  /** One group of bars each, from top to bottom. */
  categories: string[];
  /** One bar a group each; `null` where there is nothing to show. */
  series: { name: string; values: (number | null)[] }[];
  /** What the values count, for the axis: 'ns per ID'. */
  unit: string;
  /**
   * Whether the axis is logarithmic, which shows only values above 0.
   *
   * @defaultValue `false`
   */
  log?: boolean;
}

const WIDTH = 960;
const BAR = 17;
const GROUP_GAP = 15;
const COLORS = [
  '#2563a8',
  '#d97a1f',
  '#3c8d5a',
  '#8a4fa0',
  '#b8403a',
  '#6b7280',
  '#5aa5d8',
  '#e3b23c',
  '#8cc084',
  '#c98bb9',
];
const MARGIN = 16;
const LEGEND_ROW = 26;
const LEGEND_GAP = 24;
const FONT = 'Helvetica, Arial, sans-serif';

/** Writes an SVG of horizontal bars, readable on light and dark pages. */
export async function writeBarChart(file: string, options: BarChartOptions): Promise<void> {
  const groupHeight = options.series.length * BAR + GROUP_GAP;
  const headHeight = titleHeight(options) + LEGEND_ROW * legendRows(options);
  const height = headHeight + options.categories.length * groupHeight + 56;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  chart.setOption(chartOption(options, headHeight));
  const svg = chart.renderToSVGString();
  chart.dispose();
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${svg}\n`);
}

function chartOption(options: BarChartOptions, headHeight: number): EChartsCoreOption {
  const { title, subtitle, categories, series } = options;
  return {
    animation: false,
    backgroundColor: '#ffffff',
    color: COLORS,
    textStyle: { fontFamily: FONT, color: '#222222' },
    title: {
      text: title,
      subtext: subtitle,
      left: MARGIN,
      top: 12,
      textStyle: { fontSize: 17, color: '#111111', fontFamily: FONT },
      subtextStyle: { fontSize: 12, color: '#555555', fontFamily: FONT },
    },
    legend: {
      show: series.length > 1,
      left: MARGIN,
      right: MARGIN,
      top: titleHeight(options),
      itemWidth: 14,
      itemHeight: 10,
      itemGap: LEGEND_GAP,
    },
    grid: { left: labelWidth(categories), right: 96, top: headHeight, bottom: 48 },
    xAxis: valueAxis(options),
    yAxis: {
      type: 'category',
      data: categories,
      inverse: true,
      axisTick: { show: false },
      axisLabel: { interval: 0, color: '#222222' },
    },
    series: series.map(({ name, values }) => ({
      type: 'bar',
      name,
      barWidth: BAR - 3,
      barGap: '20%',
      data: values.map((value) => value ?? '-'),
      label: {
        show: true,
        position: 'right',
        color: '#222222',
        fontSize: 11,
        formatter: ({ value }: { value: unknown }) => (typeof value === 'number' ? shortNumber(value) : ''),
      },
    })),
  };
}

function titleHeight({ subtitle }: BarChartOptions): number {
  return subtitle ? 66 : 44;
}

/** How many rows the legend needs. The font of the viewer is unknown, so this assumes a wide one. */
function legendRows({ series }: BarChartOptions): number {
  if (series.length < 2) return 0;
  const widths = series.map(({ name }) => 14 + 7.5 * name.length + LEGEND_GAP);
  return Math.ceil((1.15 * widths.reduce((sum, width) => sum + width, 0)) / (WIDTH - 2 * MARGIN));
}

function valueAxis({ series, unit, log = false }: BarChartOptions): EChartsCoreOption {
  return {
    type: log ? 'log' : 'value',
    // A logarithmic bar has to begin somewhere: at the power of ten below the smallest value.
    ...(log ? { min: powerOfTenBelow(series), startValue: powerOfTenBelow(series) } : {}),
    name: log ? `${unit} (logarithmic)` : unit,
    nameLocation: 'middle',
    nameGap: 28,
    axisLabel: { formatter: shortNumber, color: '#444444' },
    splitLine: { lineStyle: { color: '#e5e7eb' } },
  };
}

/** Room for the longest category. The font of the viewer is unknown, so this assumes a wide one. */
function labelWidth(categories: readonly string[]): number {
  return 24 + 7 * Math.max(...categories.map((category) => category.length));
}

function powerOfTenBelow(series: BarChartOptions['series']): number {
  const values = series.flatMap((one) => one.values).filter((value) => value !== null && value > 0);
  return 10 ** Math.floor(Math.log10(Math.min(...(values as number[]))) - 0.001);
}

/** Three significant digits: a chart shows proportions, the tables hold the numbers. */
function shortNumber(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 4 });
}
