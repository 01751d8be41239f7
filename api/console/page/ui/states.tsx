import type { ComponentChildren } from 'preact';
import { type Failure, passes } from '../client/failure.ts';
import { useAskingAgain } from '../client/use-asking-again.ts';
import type { Reading } from '../client/use-read.ts';
import { memberInWords, problemInWords, sentence, stateTexts } from '../texts/state.ts';
import { Button } from './button.tsx';

/** Stands where there is nothing: says why, and what to do. */
export function Empty({
  title,
  text,
  isPage = false,
  children,
}: {
  title: string;
  text?: string | undefined;
  /** Whether it is all that the page says: then its title is that of the page. */
  isPage?: boolean;
  children?: ComponentChildren;
}) {
  return (
    <div class="state">
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}

export function Loading() {
  return (
    <div class="state loading" role="status">
      {stateTexts.loading}
    </div>
  );
}

/**
 * A failure in words, and a way to try again. One that passes is asked for again without a click, where `isAsking` says whether
 * that is under way: a page that loads itself anew while the service is away is lost.
 */
export function Failed({
  failure,
  again,
  isAsking,
  isPage = false,
}: {
  failure: Failure;
  again?: () => void;
  isAsking?: boolean;
  isPage?: boolean;
}) {
  const { title, text } = wordsFor(failure);
  const asksAgain = isAsking !== undefined && passes(failure);
  useAskingAgain(asksAgain && !isAsking, failure.retryAfterSeconds ?? 0, again);
  return (
    <div role="alert">
      <Empty title={title} text={text} isPage={isPage}>
        {asksAgain && <p>{stateTexts.asksAgain}</p>}
        {failure.requestId !== undefined && (
          <p class="small mono">{stateTexts.requestId(failure.requestId)}</p>
        )}
        {again !== undefined && (
          <Button icon="again" disabled={isAsking === true} onClick={again}>
            {stateTexts.again}
          </Button>
        )}
      </Empty>
    </div>
  );
}

/** A failure in one line, under a form. */
export function Notice({ failure }: { failure: Failure | undefined }) {
  if (failure === undefined) return null;
  const { title, text } = wordsFor(failure);
  return (
    <p class="notice" role="alert">
      {failure.status === 0 ? title : text}
    </p>
  );
}

function wordsFor(failure: Failure): { title: string; text: string } {
  const { status } = failure;
  const state = stateTexts;
  if (status === 0) return { title: state.away, text: state.awayText };
  if (status === 429) return { title: state.tooMany, text: state.tooManyText };
  const text = textOf(failure);
  if (status === 403) return { title: state.forbidden, text };
  if (status === 404) return { title: state.notFound, text };
  if (status === 503) return { title: state.away, text };
  return { title: state.failed, text };
}

/** The server's words as a sentence: an underscore is no letter of ours. */
function textOf({ status, message, field }: Failure): string {
  if (message === '') return status === 409 ? stateTexts.exists : stateTexts.unsaid;
  if (field === undefined || !/[._]/.test(field.path)) return sentence(message);
  return sentence(`${memberInWords(field.path)}: ${problemInWords(field.problem)}`);
}

/** Draws the value that was read, or says that it is still to come, or why it does not come. While it is read again, the old value stands. */
export function Loaded<Value>({
  reading,
  isPage = false,
  children,
}: {
  reading: Reading<Value>;
  /** Whether it is all of the page, with its title. */
  isPage?: boolean;
  children: (value: Value) => ComponentChildren;
}) {
  const { value, failure, isLoading, again } = reading;
  if (value !== undefined) return <div class={isLoading ? 'stale' : ''}>{children(value)}</div>;
  // A failure that passes by itself stays until there is an answer: no page flickers while it asks again.
  if (failure !== undefined && (!isLoading || passes(failure))) {
    return <Failed failure={failure} again={again} isAsking={isLoading} isPage={isPage} />;
  }
  return <Loading />;
}
