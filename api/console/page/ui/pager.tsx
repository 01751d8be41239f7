import { useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

/** Which rows of how many show, and the way to the others. */
export function Pager({
  offset,
  limit,
  total,
  onOffset,
}: {
  offset: number;
  limit: number;
  total: number;
  onOffset: (offset: number) => void;
}) {
  const last = Math.min(offset + limit, total);
  const pager = useRef<HTMLDivElement>(null);
  const turnTo = (to: number) => {
    onOffset(to);
    // Reading goes on at the head of the list.
    pager.current?.closest('.panel')?.scrollIntoView();
  };
  return (
    <div class="pager" ref={pager}>
      <span>{texts.parts.rows(Math.min(offset + 1, total), last, total)}</span>
      <span class="row">
        <Button
          kind="quiet"
          icon="left"
          label={texts.parts.previous}
          disabled={offset === 0}
          onClick={() => turnTo(Math.max(0, offset - limit))}
        />
        <Button
          kind="quiet"
          icon="right"
          label={texts.parts.next}
          disabled={last >= total}
          onClick={() => turnTo(offset + limit)}
        />
      </span>
    </div>
  );
}
