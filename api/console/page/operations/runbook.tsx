import { useRead } from '../client/use-read.ts';
import { operationsTexts } from '../texts/operations.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Loaded } from '../ui/states.tsx';
import { type Piece, sectionOf } from './runbook-text.ts';

/** Tells what a problem means, and what to do: a section of the runbooks, whose text is loaded when it is asked for. */
export function Runbook({ name, onClose }: { name: string; onClose: () => void }) {
  const reading = useRead(name, async () => {
    const text = await import('../../../../infra/guide/operating/runbooks.md');
    return sectionOf(text.default, name) ?? [];
  });
  return (
    <Dialog title={name} onClose={onClose}>
      <Loaded reading={reading}>
        {(paragraphs) => (
          <div class="runbook">
            {paragraphs.length === 0 && <p>{operationsTexts.noRunbook}</p>}
            {paragraphs.map((pieces, at) => (
              <p key={at}>
                {pieces.map((piece, place) => (
                  <Written key={place} piece={piece} />
                ))}
              </p>
            ))}
          </div>
        )}
      </Loaded>
      <div class="actions">
        <Button onClick={onClose}>{shellTexts.close}</Button>
      </div>
    </Dialog>
  );
}

function Written({ piece: { kind, text } }: { piece: Piece }) {
  if (kind === 'strong') return <b>{text}</b>;
  return kind === 'code' ? <code class="break">{text}</code> : <>{text}</>;
}
