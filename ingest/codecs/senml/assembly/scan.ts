/**
 * The part of `SenmlScanner` (../scanner.ts) that goes over the bytes, in AssemblyScript: TypeScript's form with the
 * types of WebAssembly. In JavaScript every access to an array is checked, and takes three times as long (benchmark:
 * micro). `npm run assembly` compiles it into scan.wasm; a test notices where that was forgotten.
 */
export { atNameStart, classes, found, free, inName, inText, setTimes, setUp } from './columns';
export { scanCbor } from './cbor';
export { scanJson } from './json';
