import { gunzipSync } from 'node:zlib';
import { malformed, type Rejected, tooLarge } from './rejected.ts';

type Inflated = { kind: 'inflated'; bytes: Buffer };

/** A body that came compressed, up to so many bytes: beyond them nothing more is inflated. */
export function inflated(body: Uint8Array, bytesMax: number): Inflated | Rejected {
  try {
    return { kind: 'inflated', bytes: gunzipSync(body, { maxOutputLength: bytesMax }) };
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    if (isTooLarge) return tooLarge(`more than ${bytesMax} bytes when inflated`);
    return malformed('the body is not gzip, though Content-Encoding says so');
  }
}
