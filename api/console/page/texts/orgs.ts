export const orgsTexts = {
  make: 'New org',
  makeText: 'You will own it. Its groups hold profiles and things.',
  none: 'You are in no org',
  noneText: 'Ask for an invite, or make an org of your own.',
};
