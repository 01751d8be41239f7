/* Every text of the console, by page. A translation is another object of this type. */

const number = new Intl.NumberFormat('en');

/** One thing, or several, with their number. */
const count = (value: number, one: string, several: string) =>
  `${number.format(value)} ${value === 1 ? one : several}`;

export const texts = {
  product: 'Millrace',

  shell: {
    skip: 'Skip to content',
    menu: 'Menu',
    navigation: 'Main',
    more: 'More',
    find: 'Find or do …',
    signOut: 'Sign out',
    theme: { auto: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' },
    docs: 'API',
    queues: 'Jobs',
    bench: 'Benchmarks',
    shortcuts: 'Keyboard shortcuts',
    close: 'Close',
    notFound: 'There is no such page',
    notFoundText: 'The link may be old, or was cut on its way.',
    start: 'Go to things',
  },

  signIn: {
    title: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    submit: 'Sign in',
    ended: 'Your session has ended. Sign in to go on where you were.',
    wrong: 'E-mail and password do not belong together.',
    tooMany: (seconds: number) =>
      `Too many attempts. Try again in ${count(Math.ceil(seconds / 60), 'minute', 'minutes')}.`,
  },

  palette: {
    label: 'Find a page, a thing or an action',
    placeholder: 'Go to a page, find a thing, do something …',
    none: 'Nothing has that name.',
    page: 'Page',
    action: 'Action',
    switchTheme: 'Switch theme',
    thing: 'Thing',
  },

  shortcuts: {
    title: 'Keyboard shortcuts',
    palette: 'Find or do',
    search: 'Search on this page',
    help: 'This list',
    goTo: (page: string) => `Go to ${page}`,
  },

  state: {
    loading: 'Loading …',
    again: 'Try again',
    away: 'The service does not answer',
    awayText: 'It may be starting, or the network is away.',
    forbidden: 'This is not for you',
    notFound: 'It is not there',
    tooMany: 'Too much at once',
    tooManyText: 'The service asked to wait a moment.',
    failed: 'That did not work',
    requestId: (id: string) => `Request ${id}`,
  },

  parts: {
    copy: 'Copy',
    copied: 'Copied',
    show: 'Show',
    hide: 'Hide',
    cancel: 'Cancel',
    save: 'Save',
    created: 'Created',
    done: 'Done',
    never: 'Never',
    rows: (from: number, to: number, total: number) =>
      total === 0
        ? '0'
        : `${number.format(from)} to ${number.format(to)} of ${number.format(total)}`,
    previous: 'Previous',
    next: 'Next',
    search: 'Search',
    clear: 'Clear filters',
  },

  things: {
    title: 'Things',
    name: 'Name',
    type: 'Type',
    types: {
      device: 'Device',
      sensor: 'Sensor',
      actuator: 'Actuator',
      controller: 'Controller',
      gateway: 'Gateway',
    },
    lastSeen: 'Last seen',
    about: 'About',
    key: 'Key',
    metadata: 'Metadata',
  },
};
