/** How it goes with a webhook. */
export const webhookStatesTexts = {
  enabled: 'Enabled',
  failing: 'Failing',
  disabled: 'Disabled',
  missed: 'Missed deliveries',
};
