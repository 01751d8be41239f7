import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Asked } from '../client/asked.ts';
import { type Answers, callAsked, type Requests } from '../client/call.ts';
import { shellTexts } from '../texts/shell.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button, type ButtonKind } from './button.tsx';
import { Form } from './form.tsx';

/** A dialog over the page. It is there as long as it is drawn; Escape and a click beside it close it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key is pressed: it is the dialog's.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => queueMicrotask(() => returnTo(before));
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <div class="stack">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/** A dialog that is drawn no longer does not give the focus back by itself. */
function returnTo(element: Element | null): void {
  if (document.activeElement !== document.body || !(element instanceof HTMLElement)) return;
  element.focus({ preventScroll: true });
}

/** A form in a dialog. `submit` rejects with what the API refused, which then stands under the field that it names, or above the buttons. */
export function FormDialog({
  title,
  action,
  kind = 'primary',
  isFixed = false,
  submit,
  onClose,
  children,
}: {
  title: string;
  /** The text of the button that submits. */
  action: string;
  kind?: ButtonKind;
  /** Only to be read. */
  isFixed?: boolean;
  submit: (form: FormData) => Promise<void>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const submitAndClose = async (form: FormData) => {
    await submit(form);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={submitAndClose}
        buttons={(isBusy) => (
          <div class="actions">
            <Button onClick={onClose}>{isFixed ? shellTexts.close : partsTexts.cancel}</Button>
            {!isFixed && (
              <Button kind={kind} submits disabled={isBusy}>
                {action}
              </Button>
            )}
          </div>
        )}
      >
        {children}
      </Form>
    </Dialog>
  );
}

/** A question before something that no single click may do. */
type Asking = {
  title: string;
  /** Says what follows from it. */
  text: string;
  /** The text of the button that confirms. */
  action: string;
  kind?: ButtonKind;
  onClose: () => void;
  children?: ComponentChildren;
};

function AskingDialog({
  text,
  kind = 'danger',
  children,
  ...form
}: Asking & { submit: (form: FormData) => Promise<void> }) {
  return (
    <FormDialog {...form} kind={kind}>
      <p class="muted">{text}</p>
      {children}
    </FormDialog>
  );
}

/** Asks before an operation that no single click may do: only here, and by `BatchQuestion`, such a one is called. */
export function Question<Name extends Asked>({
  operation,
  request,
  onDone,
  ...asking
}: Asking & {
  operation: Name;
  /** Makes the request from the fields, if there are any. May throw what is wrong with them. */
  request: (form: FormData) => Requests[Name];
  onDone?: (answer: Answers[Name]) => void;
}) {
  const submit = async (form: FormData) => {
    const answer = await callAsked(operation, request(form));
    onDone?.(answer);
  };
  return <AskingDialog {...asking} submit={submit} />;
}

/**
 * Asks before an operation that is then called for batch after batch: whoever confirmed gets what calls it, and nobody
 * else does.
 */
export function BatchQuestion<Name extends Asked>({
  operation,
  onConfirmed,
  ...asking
}: Asking & {
  operation: Name;
  /** May throw what is wrong with the fields. */
  onConfirmed: (form: FormData, ask: (request: Requests[Name]) => Promise<Answers[Name]>) => void;
}) {
  const submit = async (form: FormData) =>
    onConfirmed(form, (request) => callAsked(operation, request));
  return <AskingDialog {...asking} submit={submit} />;
}
