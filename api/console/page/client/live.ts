import type { Answers } from './call.ts';
import { type Parameters, urlOf } from './url.ts';
import { readSession } from './session.ts';

export type SenmlMessage = Answers['readMessages_senml']['messages'][number];
export type JsonMessage = Answers['readMessages_json']['messages'][number];
type MessageOf = { senml: SenmlMessage; json: JsonMessage };

/** How long before a stream that was refused is asked for again. */
const againMs = 5_000;

/** Follows messages as they are stored. Call what it gives to end it. */
export function follow<Format extends keyof MessageOf>(
  format: Format,
  filters: Parameters,
  onMessage: (message: MessageOf[Format]) => void,
): () => void {
  return followEvents(`/reader/${format}/live`, filters, (data) => {
    const message: MessageOf[Format] = JSON.parse(data);
    onMessage(message);
  });
}

/** Tells that alarms of a path have changed, and that they may have: whenever the stream begins. */
export function followAlarms(path: string, onChange: () => void): () => void {
  return followEvents(`${path}/live`, {}, onChange, onChange);
}

/**
 * Follows server-sent events. A lost connection is made again by the browser, and goes on after the last event that came.
 * Call what it gives to end it.
 */
function followEvents(
  path: string,
  filters: Parameters,
  onData: (data: string) => void,
  onOpen: () => void = () => undefined,
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    const opened = new EventSource(urlOf(path, filters));
    source = opened;
    opened.addEventListener('open', onOpen);
    opened.addEventListener('message', ({ data }: MessageEvent<string>) => {
      // The position of the stream comes as an event without data.
      if (data !== '') onData(data);
    });
    opened.addEventListener('error', () => {
      if (opened.readyState !== EventSource.CLOSED) return;
      // It was refused: the session may be over, or there are too many streams.
      void readSession();
      timer = setTimeout(open, againMs);
    });
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}
