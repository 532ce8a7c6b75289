export interface ChartBar {
  readonly key: string | number;
  readonly count: number;
  /** Shown as a tooltip and read out. */
  readonly label: string;
}

const HEIGHT = 96;
const WIDTH = 600;

/** Shows counts as bars. Sizes are attributes of SVG, which a strict content security policy allows. */
export function BarChart({
  bars,
  title,
  places = bars.length,
}: {
  bars: readonly ChartBar[];
  title: string;
  /** How many bars fill the width. Fewer ones end at the right. */
  places?: number;
}) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const step = WIDTH / Math.max(1, places);
  const firstPlace = places - bars.length;
  return (
    <svg
      class="chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={title}
    >
      {bars.map(({ key, count, label }, index) => {
        const height = count === 0 ? 0 : Math.max(2, (count / most) * HEIGHT);
        const width = Math.max(1, step - Math.min(2, step * 0.2));
        return (
          <rect
            key={key}
            class="chart-bar"
            x={(firstPlace + index) * step}
            y={HEIGHT - height}
            width={width}
            height={height}
          >
            <title>{label}</title>
          </rect>
        );
      })}
    </svg>
  );
}
