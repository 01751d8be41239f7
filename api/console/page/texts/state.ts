export const stateTexts = {
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
};
