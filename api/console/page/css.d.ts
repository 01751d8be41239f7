/** Bundled beside the script: see build.ts. */
declare module '*.css';

/** Outlines of countries, as paths: see build.ts. */
declare module 'outlines' {
  export const land: string;
  export const borders: string;
}

/** Bundled as a text. */
declare module '*.md' {
  const text: string;
  export default text;
}
