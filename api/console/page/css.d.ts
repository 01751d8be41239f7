/** Bundled beside the script: see build.ts. */
declare module '*.css';

/** Bundled as a text. */
declare module '*.md' {
  const text: string;
  export default text;
}
