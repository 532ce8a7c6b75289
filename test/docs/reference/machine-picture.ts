import { TRANSITIONS } from '../../../libs/snowflake/src/lease/lease-machine.js';
import type { Phase } from '../../../libs/snowflake/src/lease/lease-state.js';

type Point = readonly [x: number, y: number];

/** Phases that a row of the table often has together. Such a row is drawn once, from the frame around them. */
const HOLDING: readonly Phase[] = ['active', 'degraded', 'exhausted'];

/** The upper left corners of the boxes. */
const BOXES: Readonly<Record<Phase, Point>> = {
  idle: [24, 70],
  opening: [270, 70],
  acquiring: [690, 70],
  active: [690, 190],
  degraded: [690, 260],
  exhausted: [690, 330],
  stopping: [690, 460],
  stopped: [24, 460],
};
const [BOX_WIDTH, BOX_HEIGHT] = [130, 44];
const LINE_HEIGHT = 22;

/** How an arrow runs, and where the names of its events begin. */
interface Route {
  readonly points: readonly Point[];
  readonly label: Point;
  /** One line per event. */
  readonly isStacked?: boolean;
}

const ROUTES: Readonly<Record<string, Route>> = {
  'idle opening': {
    points: [
      [154, 92],
      [270, 92],
    ],
    label: [190, 84],
  },
  'idle stopped': {
    points: [
      [60, 114],
      [60, 460],
    ],
    label: [70, 230],
    isStacked: true,
  },
  'opening acquiring': {
    points: [
      [400, 92],
      [690, 92],
    ],
    label: [512, 84],
  },
  'opening stopped': {
    points: [
      [304, 114],
      [304, 472],
      [154, 472],
    ],
    label: [150, 340],
    isStacked: true,
  },
  'opening stopping': {
    points: [
      [346, 114],
      [346, 472],
      [690, 472],
    ],
    label: [356, 270],
    isStacked: true,
  },
  'acquiring active': {
    points: [
      [755, 114],
      [755, 190],
    ],
    label: [765, 148],
  },
  'acquiring stopping': {
    points: [
      [820, 92],
      [862, 92],
      [862, 482],
      [820, 482],
    ],
    label: [872, 250],
    isStacked: true,
  },
  'holding active': {
    points: [
      [474, 212],
      [690, 212],
    ],
    label: [484, 204],
  },
  'holding degraded': {
    points: [
      [474, 282],
      [690, 282],
    ],
    label: [484, 274],
  },
  'holding exhausted': {
    points: [
      [474, 352],
      [690, 352],
    ],
    label: [484, 344],
  },
  'holding stopping': {
    points: [
      [755, 398],
      [755, 460],
    ],
    label: [765, 434],
  },
  'stopping stopped': {
    points: [
      [690, 494],
      [154, 494],
    ],
    label: [390, 516],
  },
};

/** Draws the lease machine from its table. */
export function machinePicture(): string {
  const arrows = [...eventsByArrow()].flatMap(([arrow, events]) => drawnArrow(arrow, [...events]));
  const boxes = Object.entries(BOXES).flatMap(([phase, corner]) => drawnBox(phase, corner));
  return [...head(), ...arrows, ...boxes, '</svg>', ''].join('\n');
}

/** Returns the events that lead from one place to another. An event that keeps the phase has no arrow. */
function eventsByArrow(): Map<string, Set<string>> {
  const arrows = new Map<string, Set<string>>();
  for (const { on, from, to } of TRANSITIONS) {
    if (to === undefined) continue;
    const places = HOLDING.every((phase) => from.includes(phase)) ? ['holding'] : from;
    for (const place of places) {
      const arrow = `${place} ${to}`;
      arrows.set(arrow, new Set([...(arrows.get(arrow) ?? []), ...on]));
    }
  }
  return arrows;
}

/** @throws Error if the table has a transition that has no route yet */
function drawnArrow(arrow: string, events: readonly string[]): string[] {
  const route = ROUTES[arrow];
  if (!route)
    throw new Error(`The picture of the lease machine has no route for "${arrow}". Add one to ROUTES.`);
  const { points, label, isStacked } = route;
  const lines = isStacked ? events : [events.join(', ')];
  return [
    `  <path class="axis" d="M${points.map((point) => point.join(' ')).join(' L')} ${tip(points)}" />`,
    ...lines.map(
      (line, at) => `  <text class="muted" x="${label[0]}" y="${label[1] + at * LINE_HEIGHT}">${line}</text>`,
    ),
  ];
}

/** The head of an arrow, in the direction of its last part. */
function tip(points: readonly Point[]): string {
  const [[fromX, fromY], [x, y]] = points.slice(-2) as [Point, Point];
  const [alongX, alongY] = [Math.sign(x - fromX), Math.sign(y - fromY)];
  const wing = (side: number): string =>
    `${x - 8 * alongX + 5 * side * alongY} ${y - 8 * alongY + 5 * side * alongX}`;
  return `M${wing(1)} L${x} ${y} L${wing(-1)}`;
}

function drawnBox(phase: string, [x, y]: Point): string[] {
  return [
    `  <rect class="phase" x="${x}" y="${y}" width="${BOX_WIDTH}" height="${BOX_HEIGHT}" rx="6" />`,
    `  <text class="strong" x="${x + BOX_WIDTH / 2}" y="${y + 28}" text-anchor="middle">${phase}</text>`,
  ];
}

function head(): string[] {
  const rows = TRANSITIONS.map(({ on, from, to }) => {
    const what = to === undefined ? 'keeps the phase' : `leads to ${to}`;
    return `    In ${from.join(', ')}: ${on.join(' or ')} ${what}.`;
  });
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="1040" height="536" viewBox="0 0 1040 536" role="img" aria-labelledby="title desc">',
    '  <title id="title">The phases of a lease, and the events that change them</title>',
    '  <desc id="desc">',
    ...new Set(rows),
    '  </desc>',
    '  <style>',
    '    .card { fill: #ffffff; stroke: #d1d9e0 }',
    "    text { fill: #1f2328; font: 18px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif }",
    '    .title { font-size: 20px; font-weight: 600 }',
    '    .strong { font-weight: 600 }',
    '    .muted { fill: #59636e }',
    '    .axis { stroke: #818b98; stroke-width: 1.5; fill: none }',
    '    .phase { fill: #ddf4ff; stroke: #0969da; stroke-width: 1.5 }',
    '    .frame { fill: none; stroke: #818b98; stroke-dasharray: 3 5 }',
    '    @media (prefers-color-scheme: dark) {',
    '      .card { fill: #0d1117; stroke: #3d444d }',
    '      text { fill: #f0f6fc }',
    '      .muted { fill: #b7bdc8 }',
    '      .axis, .frame { stroke: #9198a1 }',
    '      .phase { fill: #0c2d6b; stroke: #4493f8 }',
    '    }',
    '  </style>',
    '  <rect class="card" x="0.5" y="0.5" width="1039" height="535" rx="10" />',
    '  <text class="title" x="24" y="38">The phases of a lease, and the events that change them</text>',
    '  <rect class="frame" x="474" y="166" width="366" height="232" rx="8" />',
    '  <text class="muted" x="484" y="388">a lease is held</text>',
  ];
}
