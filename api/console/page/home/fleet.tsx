import { linkTo } from '../router.ts';
import { homeTexts } from '../texts/home.ts';
import { shortNumberWriter } from '../ui/number.ts';
import { Panel } from '../ui/page.tsx';
import type { Glance } from './overview.ts';

const words = homeTexts;
const short = shortNumberWriter(4);
const states = ['active', 'quiet', 'silent', 'never'] as const;

/** How many things are in which state: each number leads to them. */
export function Fleet({ things }: { things: Glance['overview']['things'] }) {
  return (
    <Panel title={words.fleet}>
      <ul class="fleet">
        {states.map((state) => (
          <li key={state} data-state={state}>
            <a href={linkTo('/things', { state })}>
              <b>{short(things[state])}</b>
              <span>{words.states[state]}</span>
              <span class="small muted">{words.statesMean[state]}</span>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
