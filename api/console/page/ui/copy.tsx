import { useEffect, useState } from 'preact/hooks';
import { partsTexts } from '../texts/parts.ts';
import { Button } from './button.tsx';

const copiedMs = 2_000;

/** `near` is where it is copied from: in an open dialog, what stands outside of it can't be selected. */
export async function copyText(text: string, near: Element): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(text);
  // Without TLS there is no clipboard for scripts: what is selected is copied.
  const area = document.createElement('textarea');
  area.className = 'hidden';
  area.value = text;
  near.after(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (!isCopied) throw new Error('nothing was copied');
}

/** Copies a text, and says that it did. */
export function Copy({ text, label = partsTexts.copy }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), copiedMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <>
      <Button
        kind="quiet"
        icon={isCopied ? 'check' : 'copy'}
        label={label}
        onClick={({ currentTarget }) => {
          if (!(currentTarget instanceof Element)) return;
          void copyText(text, currentTarget).then(() => setCopied(true));
        }}
      />
      <span class="hidden" role="status">
        {isCopied ? partsTexts.copied : ''}
      </span>
    </>
  );
}

const dots = '•'.repeat(16);

/** Lines to copy. A secret in them shows only when asked for, and is copied in any case. */
export function Code({ text, label, secret }: { text: string; label: string; secret?: string }) {
  const [isShown, setShown] = useState(false);
  const shown = secret === undefined || isShown ? text : text.replaceAll(secret, dots);
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{shown}</code>
      </pre>
      <span class="tools">
        {secret !== undefined && (
          <Button
            kind="quiet"
            icon="eye"
            label={isShown ? partsTexts.hide : partsTexts.show}
            pressed={isShown}
            onClick={() => setShown(!isShown)}
          />
        )}
        <Copy text={text} />
      </span>
    </div>
  );
}

/** A secret, shown only when asked for. */
export function Secret({ value, label }: { value: string; label: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <span class="row">
      <code>{isShown ? value : dots}</code>
      <Button
        kind="quiet"
        icon="eye"
        label={`${isShown ? partsTexts.hide : partsTexts.show}: ${label}`}
        pressed={isShown}
        onClick={() => setShown(!isShown)}
      />
      <Copy text={value} label={`${partsTexts.copy}: ${label}`} />
    </span>
  );
}
