/** Shows a part of a whole as a bar. The number stands beside it. */
export function ShareBar({ part, whole }: { part: number; whole: number }) {
  return (
    <svg class="share" aria-hidden="true">
      <rect width={`${whole === 0 ? 0 : (part / whole) * 100}%`} height="100%" />
    </svg>
  );
}
