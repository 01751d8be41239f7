/** The product's name. */
export const product = 'Millrace';

export const shellTexts = {
  skip: 'Skip to content',
  menu: 'Menu',
  navigation: 'Main',
  you: 'You',
  find: 'Find or do …',
  signOut: 'Sign out',
  theme: { auto: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' },
  help: 'Help',
  docs: 'API documentation',
  queues: 'Queues',
  bench: 'Benchmarks',
  shortcuts: 'Keyboard shortcuts',
  close: 'Close',
  notFound: 'There is no such page',
  notFoundText: 'The link may be old, or was cut on its way.',
  start: 'Go to the home page',
  forAdminsText: 'This page is for the admins of the platform.',
};
