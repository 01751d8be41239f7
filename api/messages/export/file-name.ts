import type { ExportQuery } from '../../../schemas/messages/query.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { timeZoneOf } from '../../../schemas/http/time.ts';
import type { WithTimes } from '../../http/query/time.ts';

/** In characters; a file system takes 255 bytes, and an ending follows. */
const charsMax = 80;

/** Characters that systems do not take in names, or that turn the direction of a text around. */
const unwanted = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}/\\:*?"<>|]/gu;

/**
 * A name that says what is in the file, without its ending: `cold-room-2 temperature 2026-11-01 to 2026-11-26`. `thing` is
 * the name of the only thing in it.
 */
export function fileNameOf(
  format: MessageFormat,
  thing: string | undefined,
  { name, agg_field, from, to, tz, shape }: WithTimes<ExportQuery>,
): string {
  const day = (time: bigint) => dayOf(time, tz);
  const range = [
    from === undefined ? '' : day(from),
    to === undefined ? '' : `${from === undefined ? 'until' : 'to'} ${day(to)}`,
  ];
  const words = [
    thing ?? `${format} messages`,
    name ?? [agg_field ?? []].flat().join(' '),
    shape === 'wide' ? 'wide' : '',
  ].map(harmless);
  return [...words, ...range].filter(Boolean).join(' ');
}

/** Text for a part of a name. */
function harmless(text: string): string {
  const clean = text.normalize('NFC').replaceAll(unwanted, ' ').replaceAll(/\s+/g, ' ');
  return Array.from(clean)
    .slice(0, charsMax)
    .join('')
    .replaceAll(/^[ .]+|[ .]+$/g, '');
}

/** For example `2026-11-26`, as clocks there have it. */
function dayOf(nanoseconds: bigint, tz = 'UTC'): string {
  const timeZone = timeZoneOf(tz) ?? 'UTC';
  return new Intl.DateTimeFormat('sv', { timeZone }).format(Number(nanoseconds / 1_000_000n));
}

/**
 * `Content-Disposition` of a download with this name. Old clients read the first name, which is ASCII; all others the
 * second (RFC 6266, RFC 8187).
 */
export function attachment(fileName: string): string {
  const ascii = fileName
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^ -~]|["\\%]/gu, '_');
  const extended = encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const both = `attachment; filename="${ascii}"`;
  return ascii === fileName ? both : `${both}; filename*=UTF-8''${extended}`;
}
