declare module '*.css';

declare module '*.svg' {
  const address: string;
  export default address;
}

/** `tool.tsx` of the console's page, which Vite compiles with Preact. */
declare module 'console-tool' {
  export function showTool(place: ShadowRoot, tool: string, language: string): Promise<() => void>;
}
