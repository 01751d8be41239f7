import { request } from 'undici';

type WriteAnswer = { status: number; text: string; headers: Record<string, unknown> };

/** A write as a client of InfluxDB sends it. */
export async function write(
  url: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<WriteAnswer> {
  const answer = await request(url, { method: 'POST', headers, body });
  return { status: answer.statusCode, text: await answer.body.text(), headers: answer.headers };
}

/** The text of an error. */
export function errorOf({ text }: WriteAnswer): string {
  return text === '' ? '' : String(Object(JSON.parse(text)).error);
}
