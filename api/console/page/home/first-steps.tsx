import { endSteps } from '../progress.ts';
import { homeTexts } from '../texts/home.ts';
import { NoThings } from '../things/no-things.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Panel } from '../ui/page.tsx';
import { type Beginning, nextOf } from './steps.ts';

export { readBeginning } from './steps.ts';

const words = homeTexts;

/** Leads who is new to a first message. A member who may make nothing is told whom to ask. */
export function FirstSteps({ beginning, again }: { beginning: Beginning; again: () => void }) {
  const { standing, steps } = beginning;
  if (steps === undefined) {
    return (
      <Panel>
        <NoThings standing={standing} />
      </Panel>
    );
  }
  const next = nextOf(steps);
  const isMember = steps.some(({ step, isDone }) => step === 'org' && isDone);
  const dismiss = () => {
    endSteps();
    again();
  };
  return (
    <Panel
      title={words.steps}
      flush
      actions={
        // Who is in no org has nothing else to see.
        isMember && (
          <Button kind="quiet" onClick={dismiss}>
            {words.dismiss}
          </Button>
        )
      }
    >
      <ol class="steps">
        {steps.map(({ step, isDone, href }) => (
          <li key={step} data-done={isDone} aria-current={next === step ? 'step' : undefined}>
            <Icon name={isDone ? 'check' : 'right'} />
            <span class="told">
              <b>
                {isDone || step === next ? words.step[step] : <a href={href}>{words.step[step]}</a>}
              </b>
              <span class="small muted">{words.step[`${step}Text`]}</span>
            </span>
            {next === step && (
              <ButtonLink kind="primary" href={href}>
                {words.step[step]}
              </ButtonLink>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  );
}
