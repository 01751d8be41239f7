import { pagesTexts } from './pages.ts';
import { count } from './words.ts';

export const homeTexts = {
  title: pagesTexts.home,
  fleet: 'Things',
  states: { active: 'Active', quiet: 'Quiet', silent: 'Silent', never: 'Never heard' },
  statesMean: {
    active: 'heard within 15 minutes',
    quiet: 'heard within a day',
    silent: 'not heard for more than a day',
    never: 'made, and not heard yet',
  },
  wrong: 'What is wrong now',
  nothingWrong: 'Nothing that you see is wrong.',
  nothingWrongText:
    'No alarm is open, no webhook fails, no thing is refused, and no org is over its quota.',
  alarms: (number: number) => count(number, 'alarm is open', 'alarms are open'),
  bySeverity: (of: { critical: number; warning: number; info: number }) =>
    `${of.critical} critical, ${count(of.warning, 'warning', 'warnings')}, ${of.info} for information`,
  webhooks: (number: number) => `${count(number, 'webhook fails', 'webhooks fail')}: show all`,
  late: (seconds: number) =>
    `Messages can be read ${count(Math.round(seconds / 60), 'minute', 'minutes')} late`,
  lateMeans: 'They were acknowledged, and wait for the store. None is lost.',
  webhookFails: 'Its receiver does not take messages',
  webhookDisabled: 'Nothing is sent to it',
  severities: { warn: 'Warning', fail: 'Failure' },
  refusedState: 'Refused',
  refused: (messages: number, things: number) =>
    `${count(messages, 'message', 'messages')} of ${count(things, 'thing', 'things')} ${messages === 1 ? 'was' : 'were'} refused lately`,
  overQuota: 'No messages left this month',
  orgsOverQuota: (number: number) =>
    `${count(number, 'org is', 'orgs are')} over the quota of messages`,
  changes: 'What changed lately',
  changesIn: (org: string) => `What changed lately in ${org}`,
  chooseOrg: 'Choose one of your orgs above to see what changed in it.',
  allChanges: 'Audit log',
  steps: 'Next steps',
  dismiss: 'Dismiss',
  step: {
    answer: 'Answer the invite',
    answerText: 'Somebody asks you into their org: accept, and you are in it.',
    org: 'Make an org',
    orgText: 'It holds groups, and you will own it. Or wait for an invite of somebody else.',
    people: 'Invite people',
    peopleText: 'They get a mail, and are in the org once they accept.',
    group: 'Make a group',
    groupText: 'Things and their profiles are in a group; who is in it sees them.',
    profile: 'Make a profile',
    profileText: 'It says how the messages of its things are read: SenML, or JSON of any shape.',
    thing: 'Make a thing',
    thingText: 'It is a device as Millrace knows it, with a key to send messages with.',
    message: 'Send a first message',
    messageText: 'The page of a thing has the lines to copy, in several languages.',
    chart: 'Look at a chart',
    chartText: 'Explore offers what your things send.',
    rule: 'Make a rule',
    ruleText: 'It raises an alarm when a value is too high, or a thing falls silent.',
  },
};
