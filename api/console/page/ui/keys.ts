/** Whether a key belongs to a text or a choice. */
export function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Whether a page may take a key: nobody types, no dialog is open, and it is no second key after `g`. */
export function isFree(event: KeyboardEvent): boolean {
  const isWithOther = event.metaKey || event.ctrlKey || event.altKey;
  return (
    !isWithOther &&
    !event.defaultPrevented &&
    !isTyping(event) &&
    document.querySelector('dialog[open]') === null
  );
}
