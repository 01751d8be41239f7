import { useState } from 'preact/hooks';
import { Severity } from '../alarms/severity.tsx';
import { call, type Rule } from '../client/call.ts';
import type { May } from '../roles.ts';
import { goTo, linkTo } from '../router.ts';
import { rulesTexts } from '../texts/rules.ts';
import { alarmsTexts } from '../texts/alarms.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog, Question } from '../ui/dialog.tsx';
import { useAction } from '../ui/form.tsx';
import { Badge } from '../ui/page.tsx';
import { Notice } from '../ui/states.tsx';
import { say } from '../ui/toasts.tsx';

const words = rulesTexts;

/** Whether a rule counts. */
export function RuleState({ rule }: { rule: Rule }) {
  return rule.enabled ? (
    <Badge tone="good">{words.enabled}</Badge>
  ) : (
    <Badge tone="plain">{words.disabled}</Badge>
  );
}

/** How many things it fires for: the way to these alarms. */
export function Firing({ rule: { id, group_id: group, firing } }: { rule: Rule }) {
  if (firing === 0) return <span class="muted">0</span>;
  return (
    <a href={linkTo('/alarms', { group, rule: id })}>
      <Badge tone="bad">{alarmsTexts.openOf(firing)}</Badge>
    </a>
  );
}

/** How it stands with a rule, and what can be done with it beside typing. */
export function Actions({ rule, may, again }: { rule: Rule; may: May; again: () => void }) {
  const path = { id: rule.id };
  const [open, setOpen] = useState<'disable' | 'delete'>();
  const { failure, isBusy, run } = useAction();
  const enable = async (enabled: boolean) => {
    await call('updateRule', { path, body: { enabled } });
    say(enabled ? words.enabling : words.disabling);
    again();
  };
  const close = () => setOpen(undefined);
  return (
    <>
      <Severity severity={rule.severity} />
      <RuleState rule={rule} />
      {rule.firing > 0 && <Firing rule={rule} />}
      {may('updateRule') &&
        (rule.enabled ? (
          <Button icon="pause" onClick={() => setOpen('disable')}>
            {words.disable}
          </Button>
        ) : (
          <Button icon="play" disabled={isBusy} onClick={() => void run(() => enable(true))}>
            {words.enable}
          </Button>
        ))}
      {may('deleteRule') && (
        <Button kind="danger" onClick={() => setOpen('delete')}>
          {words.delete}
        </Button>
      )}
      <Notice failure={failure} />
      {open === 'disable' && (
        <FormDialog
          title={words.disableTitle}
          action={words.disable}
          kind="danger"
          submit={() => enable(false)}
          onClose={close}
        >
          <p class="muted">{words.disableText}</p>
        </FormDialog>
      )}
      {open === 'delete' && (
        <Question
          operation="deleteRule"
          request={() => ({ path })}
          title={words.deleteTitle}
          text={words.deleteText}
          action={words.delete}
          onDone={() => {
            say(words.deleted);
            goTo('/rules');
          }}
          onClose={close}
        />
      )}
    </>
  );
}
