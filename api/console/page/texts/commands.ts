import { count, number } from './words.ts';

export const commandsTexts = {
  title: 'Commands',
  send: 'Send a command',
  sendAction: 'Send',
  sendingTo: {
    thing: 'It waits until the thing takes it, or it expires. To',
    group: 'It waits for each thing of the group until that takes it, or it expires. To all of',
  },
  thing: 'Thing',
  waitsForEach: (things: number, leftOut: number) =>
    leftOut === 0
      ? `The command waits for ${count(things, 'thing', 'things')}.`
      : `The command waits for ${count(things, 'thing', 'things')}; ${number.format(leftOut)} have as many commands as may wait.`,
  command: 'Command',
  commandHint: 'What is to be done, as the device understands it: open, restart.',
  params: 'Parameters',
  paramsHint: 'Optional, any JSON, such as {"percent": 40}.',
  subtopic: 'Subtopic',
  subtopicHint: 'Optional, such as valve.north.',
  expires: 'Expires',
  expiresHint: 'After that it is of no use any more.',
  lifetimes: { 600: 'In 10 minutes', 3600: 'In an hour', 86400: 'In a day', 604800: 'In a week' },
  noJson: (place: string) => `The parameters are not JSON${place === '' ? '' : `: ${place}`}`,
  state: 'State',
  states: {
    queued: 'Queued',
    delivered: 'Delivered',
    acknowledged: 'Acknowledged',
    expired: 'Expired',
  },
  statesMean: {
    queued: 'It waits for the thing.',
    delivered: 'It was sent to the thing, and is sent again until the thing acknowledges it.',
    acknowledged: 'The thing has it.',
    expired: 'Its time is over, and the thing has not acknowledged it.',
  },
  sent: 'Sent',
  toGroup: 'To the whole group',
  none: 'No commands yet',
  noneText: 'A command tells the device what to do, also if it sleeps until tomorrow.',
  readAgain: 'Read the commands again',
  withdraw: 'Withdraw',
  withdrawText: (command: string) => `The thing does not get “${command}”.`,
  withdrawn: 'The command is withdrawn.',
};
