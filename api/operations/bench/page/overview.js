import { element } from './elements.js';
import { comparedIn, factsOf, matchesOf } from './facts.js';
import { latestByScenario, number } from './figures.js';

/** @import { Fact, Match, Measured } from './facts.js' */
/** @import { Run } from './figures.js' */

const date = new Intl.DateTimeFormat('en', { dateStyle: 'long' });

/** @param {Measured[]} measured */
const linkTo = ([first]) => `#scenario-${first?.scenario ?? ''}`;

/** @param {Fact} fact */
const tile = ({ big, text, of }) =>
  element(
    'li',
    {},
    element('strong', {}, big),
    element('p', {}, text),
    element(
      'p',
      { className: 'source' },
      element('a', { href: linkTo(of) }, 'How it was measured'),
      of[0] === undefined ? '' : `, ${date.format(new Date(of[0].run.at))}`,
    ),
  );

/** @param {Match} match */
function matchTable(match) {
  const { title, unit, isLessBetter, contestants } = match;
  const most = Math.max(...contestants.map(({ value }) => value));
  const rows = contestants.map(({ name, value }, i) => {
    const bar = element('div', { className: i === 0 ? 'bar ours' : 'bar', ariaHidden: 'true' });
    bar.style.width = `${(value / most) * 100}%`;
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      element('td', { className: 'track' }, bar),
      element('td', { className: 'value' }, number(value)),
    );
  });
  return element(
    'div',
    { className: 'match' },
    element('h3', {}, `${title}, ${unit}${isLessBetter ? ' (less is better)' : ''}`),
    element('p', { className: 'verdict' }, `${comparedIn(match)}.`),
    element('table', { ariaLabel: title }, element('tbody', {}, ...rows)),
  );
}

/** What each system has done by the time that it answers. @param {Match[]} matches */
function promises(matches) {
  const told = new Map(
    matches.flatMap(({ contestants }) =>
      contestants.flatMap(({ name, promise }) => (promise === '' ? [] : [[name, promise]])),
    ),
  );
  if (told.size === 0) return [];
  return [
    element('h3', {}, 'What a system has done by the time that it answers'),
    element(
      'dl',
      {},
      ...[...told].flatMap(([name, promise]) => [
        element('dt', {}, name),
        element('dd', {}, promise),
      ]),
    ),
  ];
}

/** @param {Fact[]} facts */
function gotten(facts) {
  const machine = facts[0]?.of[0]?.run.machine ?? '';
  return element(
    'section',
    {},
    element('h2', {}, 'What you get'),
    element(
      'p',
      { className: 'setting' },
      `On one machine (${machine}), which also runs the databases and the load itself. A record is one value of one sensor; a thing is a device that sends messages of them.`,
    ),
    element('ul', { className: 'tiles' }, ...facts.map(tile)),
  );
}

/** @param {Match[]} matches @param {Run} run */
function beside(matches, run) {
  return element(
    'section',
    {},
    element('h2', {}, 'Beside other stores'),
    element(
      'p',
      { className: 'setting' },
      `On the same machine (${run.machine}), one after the other (${date.format(new Date(run.at))}), with the same values. `,
      element('a', { href: '#scenario-peers' }, 'All figures'),
    ),
    ...promises(matches),
    element('div', { className: 'matches' }, ...matches.map(matchTable)),
  );
}

/** For who has never seen a benchmark of ours: what one gets, beside what else there is. @param {Run[]} runs */
export function overview(runs) {
  const facts = factsOf(runs);
  const matches = matchesOf(runs);
  const peers = latestByScenario(runs).get('peers');
  return [
    ...(facts.length === 0 ? [] : [gotten(facts)]),
    ...(peers === undefined || matches.length === 0 ? [] : [beside(matches, peers)]),
  ];
}
