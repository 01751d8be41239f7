export const placesTexts = {
  where: 'Work in an org or a group',
  change: ', choose another org or group',
  placeholder: 'Find an org or a group …',
  none: 'No org and no group has that name.',
  everywhere: 'All orgs and groups',
  all: 'All that you see',
  org: 'Org',
  group: 'Group',
  which: 'Org or group',
  whichHint: 'This page shows one at a time. The button above the pages finds all of them.',
  choose: 'Choose one',
  inOrg: (org: string, group: string) => `${org}: ${group}`,
};
