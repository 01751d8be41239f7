/** The names of the pages: the navigation shows them all, and each page has its other texts for itself. */
export const pagesTexts = {
  home: 'Home',
  things: 'Things',
  explore: 'Explore',
  dashboards: 'Dashboards',
  alarms: 'Alarms',
  webhooks: 'Webhooks',
  organization: 'Organization',
  operations: 'Operations',
  /** Said after the number of alarms. */
  openAlarms: 'open, acknowledged by nobody',
};
