/** A subtopic, or what is wrong with it. */
type Subtopic = { ok: true; subtopic: string } | { ok: false; detail: string };

const none: Subtopic = { ok: true, subtopic: '' };
const notUtf8: Subtopic = { ok: false, detail: 'subtopic: is not percent-encoded UTF-8' };

/** The character that a decoder makes of bytes that are not UTF-8. */
const replacement = '\uFFFD';

/**
 * The path after `/http/messages/` as a subtopic: percent-decoded, its parts joined by `.`, empty parts left out. `*`
 * and `>` are reserved for the wildcards of subscribers. `.` and `..` mean another path to some servers on the way, and
 * are refused however they are spelled.
 */
export function parseSubtopic(path: string, charsMax: number): Subtopic {
  if (path === '') return none;
  let decoded: string;
  try {
    if (path.includes(replacement)) return notUtf8;
    decoded = decodeURIComponent(path);
  } catch {
    return notUtf8;
  }
  return subtopicOf(decoded, charsMax);
}

/** A path that is not encoded, such as the topic of an MQTT message, as a subtopic. */
export function subtopicOf(decoded: string, charsMax: number): Subtopic {
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(decoded)) {
    return { ok: false, detail: 'subtopic: must not have . or .. for a part' };
  }
  const subtopic = decoded
    .split(/[/.]/)
    .filter((part) => part !== '')
    .join('.');
  if (/[*>]/.test(subtopic)) return { ok: false, detail: 'subtopic: must not hold * or >' };
  if (/\p{Cc}/u.test(subtopic)) {
    return { ok: false, detail: 'subtopic: must not hold control characters' };
  }
  if (subtopic.length > charsMax) {
    return { ok: false, detail: `subtopic: must not be longer than ${charsMax} characters` };
  }
  return { ok: true, subtopic };
}
