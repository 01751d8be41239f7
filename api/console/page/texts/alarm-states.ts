/** How bad an alarm is, and how far. */
export const alarmStatesTexts = {
  severities: { critical: 'Critical', warning: 'Warning', info: 'Info' },
  states: { firing: 'Firing', clearing: 'Clearing', ended: 'Ended' },
  statesMean: {
    firing: 'Firing: its conditions hold.',
    clearing: 'Clearing: they are over, and not for long enough yet to end it.',
    ended: 'Ended: it is over.',
  },
};
