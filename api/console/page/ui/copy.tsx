import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

const copiedMs = 2_000;

/** Copies a text, and says that it did. */
export function Copy({ text, label = texts.parts.copy }: { text: string; label?: string }) {
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
        onClick={() => {
          void navigator.clipboard.writeText(text).then(() => setCopied(true));
        }}
      />
      <span class="hidden" role="status">
        {isCopied ? texts.parts.copied : ''}
      </span>
    </>
  );
}

/** Lines to copy. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      <pre tabIndex={0} aria-label={label}>
        <code>{text}</code>
      </pre>
      <Copy text={text} />
    </div>
  );
}

/** A secret, shown only when asked for. */
export function Secret({ value, label }: { value: string; label: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <span class="row">
      <code>{isShown ? value : '•'.repeat(16)}</code>
      <Button
        kind="quiet"
        icon="eye"
        label={`${isShown ? texts.parts.hide : texts.parts.show}: ${label}`}
        pressed={isShown}
        onClick={() => setShown(!isShown)}
      />
      <Copy text={value} label={`${texts.parts.copy}: ${label}`} />
    </span>
  );
}
