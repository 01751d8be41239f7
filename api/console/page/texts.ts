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

  orgs: {
    choose: 'Org',
    none: 'You are in no org',
    noneText: 'Ask for an invite, or make an org of your own.',
  },

  webhooks: {
    title: 'Webhooks',
    add: 'Add webhook',
    adding: (org: string) => `Webhook for all things of ${org}`,
    name: 'Name',
    url: 'Sends to',
    urlHint: 'http or https, of a public address.',
    of: 'Messages of',
    ofWhat: { thing: 'One thing', group: 'A group', org: 'The org' },
    state: 'State',
    states: { enabled: 'Enabled', disabled: 'Disabled', missed: 'Missed copies' },
    secret: 'Secret',
    secretHint: 'Optional, 24 bytes or more: signs each copy after Standard Webhooks.',
    headers: 'Headers',
    none: 'There are no webhooks',
    noneText: 'A webhook gets a copy of each message, as soon as it is received.',
    noneSuch: 'No webhook has that name',
    about: 'About',
    waiting: 'Waiting',
    missed: 'Not delivered',
    copies: (copies: number) => count(copies, 'copy', 'copies'),
    ping: 'Send a ping',
    pinged: 'A ping is under way.',
    enable: 'Enable',
    enabled: 'The webhook is enabled.',
    delete: 'Delete',
    deleting: 'Delete this webhook?',
    deletingText: 'Copies that wait for it are dropped. The messages themselves stay.',
    typeName: (name: string) => `Type ${name} to go on`,
    otherName: 'The name is another one.',
    replay: 'Deliver again',
    replayText: 'Copies that the receiver has already may arrive once more, with the same id.',
    replayFailed: 'Those that failed',
    replayHour: 'All of the last hour',
    replayOne: 'Deliver this message again',
    replayed: (copies: number) => `${count(copies, 'copy is', 'copies are')} sent again.`,
    deliveries: 'Tries',
    outcome: 'Outcome',
    outcomes: { all: 'All', delivered: 'Delivered', failed: 'Failed' },
    readAgain: 'Read again',
    noTries: 'Nothing was tried',
    noTriesText: 'A ping, or the next message, appears here.',
    result: 'Result',
    noAnswer: 'No answer',
    triedAt: 'When',
    message: 'Message',
    attempt: 'Try',
    took: 'Took',
    milliseconds: (ms: number) => `${number.format(ms)} ms`,
    oneTry: (attempt: number) => `Try ${number.format(attempt)}`,
    request: 'Request',
    error: 'Error',
    answer: 'What the receiver answered',
  },
};
