/** Bundled beside the script: see build.ts. */
declare module '*.css';
