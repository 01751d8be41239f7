import { ApiError, ConnectionError, refusalOf } from '../../../../schemas/client/errors.ts';
import { endSession } from './session.ts';
import { refusalIn, send } from './send.ts';
import { urlOf } from './url.ts';

/** A file that was loaded whole. */
type Loaded = { name: string; content: Blob };

/** Chunks are put together so often: a browser keeps large parts on its disk. */
const partBytes = 32 * 1_048_576;

/**
 * Loads a file of the API, and tells how far it is.
 *
 * @throws ApiError, ConnectionError if it breaks off, `AbortError`
 */
export async function loadFile(
  path: string,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Loaded> {
  try {
    const response = await send(urlOf(path), 'GET', undefined, signal);
    if (response.status === 401) endSession();
    if (!response.ok || response.body === null) throw await refusalIn(response);
    const [, name = 'download'] =
      /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
    return { name, content: await gathered(response.body, onBytes) };
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof ApiError ? error : new ConnectionError(location.origin, error);
  }
}

async function gathered(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onBytes: (bytes: number) => void,
): Promise<Blob> {
  const parts: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let [bytes, waiting] = [0, 0];
  const reader = body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value);
    bytes += next.value.length;
    waiting += next.value.length;
    onBytes(bytes);
    if (waiting < partBytes) continue;
    parts.push(new Blob(chunks));
    [chunks, waiting] = [[], 0];
  }
  return new Blob([...parts, ...chunks], { type: 'application/octet-stream' });
}

/** Gives a file to the person who asked for it. */
export function saveFile({ name, content }: Loaded): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/**
 * Sends a file, and tells how much has left; `header` reads the answer's.
 *
 * @throws ApiError, ConnectionError where no answer comes, `AbortError`
 */
export function sendFile(
  path: string,
  file: File,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<(header: string) => string | null> {
  // `fetch` does not tell how much of a body was sent.
  const request = new XMLHttpRequest();
  const { promise, resolve, reject } = Promise.withResolvers<(header: string) => string | null>();
  request.upload.addEventListener('progress', ({ loaded }) => onBytes(loaded));
  request.addEventListener('load', () => {
    const header = (name: string) => request.getResponseHeader(name);
    if (request.status === 401) endSession();
    if (request.status >= 200 && request.status < 300) resolve(header);
    else reject(refusalOf(request.status, header, request.responseText));
  });
  request.addEventListener('error', () => reject(new ConnectionError(location.origin, undefined)));
  request.addEventListener('abort', () => reject(signal.reason));
  signal.addEventListener('abort', () => request.abort());
  request.open('POST', urlOf(path));
  request.setRequestHeader('accept', 'application/json');
  request.setRequestHeader('content-type', 'application/octet-stream');
  request.send(file);
  return promise;
}
