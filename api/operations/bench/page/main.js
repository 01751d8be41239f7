import { bars, growthChart, timeline } from './charts.js';
import { element, table } from './elements.js';
import { drawable, latestByScenario, number, words } from './figures.js';
import { overview } from './overview.js';

/** @import { Figure, Run } from './figures.js' */

const main = document.querySelector('main') ?? document.body;

/** @param {string} scenario @param {string} figure */
const historyLink = (scenario, figure) => `#${new URLSearchParams({ scenario, figure })}`;

const date = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short' });
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** What a figure was measured with. @param {Run} run */
function setting(run) {
  return element(
    'p',
    { className: 'setting' },
    element('time', { dateTime: run.at }, moment.format(new Date(run.at))),
    ` · commit ${run.commit} · ${run.machine} · Node ${run.node} · ClickHouse ${run.clickhouse}`,
    ` · JSON.parse did ${number(run.jsonParseMBs)} MB/s just then`,
  );
}

/** @param {Figure} figure */
function verdict({ goal, reached }) {
  if (goal === '') return [];
  const mark = element('span', { ariaHidden: 'true' }, reached ? '✓ ' : '✗ ');
  const className = reached ? 'reached' : 'missed';
  const wanted = goal.replace('>=', '≥').replace('<=', '≤');
  return [
    element('span', { className }, mark, className),
    ' ',
    element(
      'span',
      { className: 'wanted' },
      wanted.replace(/\d+\.\d+|\d{4,}/, (digits) => number(Number(digits))),
    ),
  ];
}

/** @param {Figure} figure */
const spread = ({ spread: rounds }) =>
  rounds === undefined
    ? []
    : [element('small', {}, `rounds: ${number(rounds[0])} to ${number(rounds[1])}`)];

/** @param {string} scenario @param {Figure[]} figures */
function figuresTable(scenario, figures) {
  const hasGoals = figures.some(({ goal }) => goal !== '');
  const rows = figures.map((figure) => ({
    className: figure.goal !== '' && !figure.reached ? 'missed-row' : '',
    cells: [
      [
        element('a', { href: historyLink(scenario, figure.name) }, figure.name),
        ...(figure.note === undefined ? [] : [element('small', {}, figure.note)]),
      ],
      [
        `${number(figure.value)} `,
        element('span', { className: 'unit' }, figure.unit),
        ...spread(figure),
      ],
      ...(hasGoals ? [verdict(figure)] : []),
    ],
  }));
  const columns = [
    { text: 'Figure' },
    { text: 'Value', className: 'value' },
    ...(hasGoals ? [{ text: 'Goal', className: 'goal' }] : []),
  ];
  return table(`Figures of ${words(scenario)}`, columns, rows);
}

/** @param {string} title @param {string} unit @param {HTMLElement} chart */
function titled(title, unit, chart) {
  const inUnit = title.endsWith(` ${unit}`) ? title : `${title}, ${unit}`;
  return element('div', {}, element('h3', {}, inUnit), chart);
}

/** A scenario as it last ran. @param {string} scenario @param {Run} run */
function comparison(scenario, run) {
  const figures = run.results[scenario] ?? [];
  const { tasks, growths, drawn } = drawable(figures);
  const systems = [...new Set(tasks.flatMap(({ values }) => [...values.keys()]))];
  const section = element(
    'section',
    { id: `scenario-${scenario}` },
    element('h2', {}, words(scenario)),
    setting(run),
  );
  if (drawn.size > 0) {
    const charts = [
      ...tasks.map((task) => titled(task.name, task.unit, bars(task, systems))),
      ...growths.map((growth) => {
        const names = growth.curves.map(({ name }) => name);
        return titled(`${names.join(', ')} by ${growth.by}`, growth.unit, growthChart(growth));
      }),
    ];
    section.append(element('div', { className: 'charts' }, ...charts));
  }
  // What has a goal stands in the open, drawn or not.
  const folded = figures.filter((figure) => drawn.has(figure) && figure.goal === '');
  const open = figures.filter((figure) => !folded.includes(figure));
  if (open.length > 0) section.append(figuresTable(scenario, open));
  if (folded.length > 0) {
    const summary = element('summary', {}, `The ${folded.length} figures drawn here as a table`);
    section.append(element('details', {}, summary, figuresTable(scenario, folded)));
  }
  return section;
}

/** The figure that the address names, or else the first. @param {Map<string, Run>} latest */
function chosen(latest) {
  const asked = new URLSearchParams(location.hash.slice(1));
  const [scenario, figure] = [asked.get('scenario') ?? '', asked.get('figure') ?? ''];
  const isThere = latest.get(scenario)?.results[scenario]?.some(({ name }) => name === figure);
  if (isThere) return { scenario, figure };
  const [[first, run] = ['', undefined]] = latest;
  return { scenario: first, figure: run?.results[first]?.[0]?.name ?? '' };
}

/** One figure over all runs that have it: a line for each machine, and the goal. @param {Run[]} runs @param {string} scenario @param {string} figure */
function overRuns(runs, scenario, figure) {
  const points = runs.flatMap((run) => {
    const found = run.results[scenario]?.find(({ name }) => name === figure);
    return found === undefined ? [] : [{ run, ...found }];
  });
  const machines = [...new Set(points.map(({ run }) => run.machine))];
  const goals = points.map(({ goal }) =>
    /\d/.test(goal) ? Number(goal.replace(/[^\d.]/g, '')) : null,
  );
  const lines = [
    ...machines.map((machine) => ({
      name: machine,
      values: points.map(({ run, value }) => (run.machine === machine ? value : null)),
    })),
    ...(goals.some((goal) => goal !== null) ? [{ name: 'goal', values: goals, isGoal: true }] : []),
  ];
  const names = points.map(({ run }) => `${run.commit}\n${date.format(new Date(run.at))}`);
  const rows = points.toReversed().map((point) => ({
    cells: [
      [moment.format(new Date(point.run.at))],
      [point.run.commit],
      [`${number(point.value)} `, element('span', { className: 'unit' }, point.unit)],
      verdict(point),
    ],
  }));
  const columns = [
    { text: 'Run' },
    { text: 'Commit' },
    { text: 'Value', className: 'value' },
    { text: 'Goal' },
  ];
  return [
    timeline(lines, names, points.at(-1)?.unit ?? ''),
    element(
      'details',
      {},
      element('summary', {}, `The ${points.length} runs as a list`),
      table(`Runs of ${figure}`, columns, rows),
    ),
  ];
}

/** The section of the history, which follows the address. @param {Run[]} runs @param {Map<string, Run>} latest */
function historySection(runs, latest) {
  const choices = [...latest].map(([scenario, run]) => {
    const options = (run.results[scenario] ?? []).map(({ name }) =>
      element('option', { value: historyLink(scenario, name) }, name),
    );
    return element('optgroup', { label: words(scenario) }, ...options);
  });
  const select = element('select', {}, ...choices);
  const drawn = element('div');
  const section = element(
    'section',
    { id: 'history' },
    element('h2', {}, 'History'),
    element('label', {}, 'Figure', select),
    drawn,
  );
  const show = () => {
    const { scenario, figure } = chosen(latest);
    select.value = historyLink(scenario, figure);
    drawn.replaceChildren(...overRuns(runs, scenario, figure));
  };
  select.addEventListener('change', () => history.replaceState(null, '', select.value));
  select.addEventListener('change', show);
  addEventListener('hashchange', () => {
    if (!location.hash.includes('figure=')) return;
    show();
    section.scrollIntoView();
    select.focus({ preventScroll: true });
  });
  show();
  return section;
}

/** For who works on Millrace: each scenario, and each figure over time. @param {Run[]} runs */
function allFigures(runs) {
  const latest = latestByScenario(runs);
  const withGoal = [...latest].flatMap(([scenario, run]) =>
    (run.results[scenario] ?? []).filter(({ goal }) => goal !== ''),
  );
  const reached = withGoal.filter((figure) => figure.reached).length;
  const links = [...latest.keys()].map((scenario) =>
    element('li', {}, element('a', { href: `#scenario-${scenario}` }, words(scenario))),
  );
  links.push(element('li', {}, element('a', { href: '#history' }, 'History')));
  return [
    element('p', { role: 'status' }, `${reached} of ${withGoal.length} goals are reached.`),
    element('nav', { ariaLabel: 'Scenarios' }, element('ul', {}, ...links)),
    ...[...latest].map(([scenario, run]) => comparison(scenario, run)),
    historySection(runs, latest),
  ];
}

/**
 * Two views, by the address: without anything after the `#` the one in words, which is for everybody.
 *
 * @param {Run[]} runs
 */
function page(runs) {
  const views = [
    { text: 'In words', href: '#', made: element('div', {}, ...overview(runs)) },
    { text: 'All figures', href: '#figures', made: element('div', {}, ...allFigures(runs)) },
  ];
  const links = views.map(({ text, href }) => element('a', { href }, text));
  const show = () => {
    const at = location.hash.length > 1 ? 1 : 0;
    for (const [i, { made }] of views.entries()) {
      made.hidden = i !== at;
      links[i]?.setAttribute('aria-current', i === at ? 'page' : 'false');
    }
    // What the address leads to was not there, or not shown.
    const target = location.hash.includes('figure=') ? 'history' : location.hash.slice(1);
    document.getElementById(target)?.scrollIntoView();
  };
  addEventListener('hashchange', show);
  return {
    parts: [
      element('nav', { ariaLabel: 'Views', className: 'views' }, ...links),
      ...views.map(({ made }) => made),
    ],
    show,
  };
}

function nothingYet() {
  return [
    element('p', { role: 'status' }, 'There are no results yet.'),
    element(
      'p',
      {},
      element('code', {}, 'npm run bench'),
      ' in a clone makes some: it appends a line to ',
      element('code', {}, 'bench/results.ndjson'),
      ', and this page shows it when it is opened again.',
    ),
  ];
}

try {
  const answer = await fetch('bench/results');
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  /** @type {{ runs: Run[] }} */
  const { runs } = await answer.json();
  if (runs.length === 0) {
    main.replaceChildren(...nothingYet());
  } else {
    const { parts, show } = page(runs);
    main.replaceChildren(...parts);
    show();
  }
} catch (error) {
  main.replaceChildren(
    element(
      'p',
      { role: 'alert' },
      `The results can’t be shown: ${error instanceof Error ? error.message : String(error)}.`,
    ),
  );
}
