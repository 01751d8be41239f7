export const shortcutsTexts = {
  title: 'Keyboard shortcuts',
  palette: 'Find or do',
  search: 'Search on this page',
  help: 'This list',
  goTo: (page: string) => `Go to ${page}`,
  inAlarms: 'In the list of alarms',
  move: 'next and previous',
  acknowledge: 'acknowledges',
  silence: 'silences',
};
