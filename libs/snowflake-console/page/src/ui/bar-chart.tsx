import { useRef, useState } from 'preact/hooks';

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
  onRange,
}: {
  bars: readonly ChartBar[];
  title: string;
  /** Takes the first and the last bar that the pointer was drawn over. */
  onRange?: (from: number, to: number) => void;
}) {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const step = WIDTH / Math.max(1, bars.length);
  const { range, ...handlers } = useDrag(bars.length, onRange);
  return (
    <svg
      class={onRange ? 'chart is-selectable' : 'chart'}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={title}
      {...handlers}
    >
      {range && (
        <rect
          class="chart-range"
          x={range[0] * step}
          width={(range[1] - range[0] + 1) * step}
          height={HEIGHT}
        />
      )}
      {bars.map((bar, index) => (
        <Bar key={bar.key} bar={bar} x={index * step} {...{ step, most }} />
      ))}
    </svg>
  );
}

function Bar({
  bar: { count, label },
  x,
  step,
  most,
}: {
  bar: ChartBar;
  x: number;
  step: number;
  most: number;
}) {
  const height = count === 0 ? 0 : Math.max(2, (count / most) * HEIGHT);
  const width = Math.max(1, step - Math.min(2, step * 0.2));
  return (
    <rect class="chart-bar" x={x} y={HEIGHT - height} width={width} height={height}>
      <title>{label}</title>
    </rect>
  );
}

/** Follows the pointer from where it goes down to where it goes up. */
function useDrag(places: number, onRange?: (from: number, to: number) => void) {
  const start = useRef<number | undefined>(undefined);
  const [range, setRange] = useState<readonly [number, number] | undefined>();
  if (!onRange) return {};
  const placeAt = ({ clientX, currentTarget }: PointerEvent): number => {
    const { left, width } = (currentTarget as Element).getBoundingClientRect();
    return Math.min(places - 1, Math.max(0, Math.floor(((clientX - left) / width) * places)));
  };
  const rangeTo = (event: PointerEvent): readonly [number, number] | undefined => {
    if (start.current === undefined) return undefined;
    const at = placeAt(event);
    return [Math.min(start.current, at), Math.max(start.current, at)];
  };
  const end = (): void => {
    start.current = undefined;
    setRange(undefined);
  };
  return {
    range,
    onPointerDown: (event: PointerEvent) => {
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      start.current = placeAt(event);
      setRange(rangeTo(event));
    },
    onPointerMove: (event: PointerEvent) => setRange(rangeTo(event)),
    onPointerUp: (event: PointerEvent) => {
      const drawn = rangeTo(event);
      end();
      if (drawn) onRange(...drawn);
    },
    onPointerCancel: end,
  };
}
