export const sessionsTexts = {
  browser: 'Browser',
  unnamed: 'Without a name',
  current: 'this one',
  address: 'Address',
  lastUsed: 'Last used',
  since: 'Signed in',
  ends: 'Ends',
  none: 'You are signed in nowhere',
  end: (browser: string) => `End the session of ${browser}`,
  ending: 'End session',
  endingText: 'Who uses this browser must sign in again.',
  endAll: 'Sign out everywhere',
  endAllText:
    'This ends all your sessions at once, this one too, and all tokens of the command line. API keys stay: revoke those by themselves.',
};
