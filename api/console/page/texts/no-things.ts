/** Why one sees no things, and what to do. */
export const noThingsTexts = {
  none: 'There are no things yet',
  noneText:
    'A thing is a device as Millrace knows it. Make one, and its page helps with the first message.',
  noneToLookAt: 'As soon as an editor of one of your groups makes a thing, it shows here.',
  noGroup: 'You are in no group yet',
  noGroupOf: (org: string) => `You are in no group of ${org} yet`,
  askAdmins: (org: string, admins: readonly string[]) =>
    `Things stand in groups: ask one of the admins of ${org} to take you into one (${admins.join(', ')}).`,
  makeGroup: (org: string) => `Make a group of ${org}`,
};
