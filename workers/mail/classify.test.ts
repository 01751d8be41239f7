import { describe, expect, it } from 'vitest';
import { classify, MailRefused } from './classify.ts';

const answered = (responseCode: number, command: string) =>
  Object.assign(new Error('of the server'), {
    code: 'EENVELOPE',
    permanent: responseCode >= 500,
    responseCode,
    command,
  });
const ofClient = (code: string) => Object.assign(new Error('of nodemailer'), { code });

describe('a mail that was not sent', () => {
  it.each([
    ['its receiver is refused for good', answered(550, 'RCPT TO'), 'refuse'],
    ['its content is refused for good', answered(554, 'DATA'), 'refuse'],
    ['its receiver is refused for now', answered(450, 'RCPT TO'), 'retry'],
    ['the login is refused', answered(535, 'AUTH PLAIN'), 'halt'],
    ['the sender is refused', answered(550, 'MAIL FROM'), 'halt'],
    ['no server is reached', ofClient('ESOCKET'), 'retry'],
    ['the server closes the connection', ofClient('ECONNECTION'), 'retry'],
    ['the disk of the outbox is full', ofClient('ENOSPC'), 'retry'],
    ['the settings are wrong', ofClient('ECONFIG'), 'halt'],
    ['the code has a mistake', new TypeError('of ours'), 'halt'],
  ])('because %s: %s', (_, error, decision) => {
    expect(classify(error)).toMatchObject({ decision });
  });

  it('for good is told in the log with the answer of the server, as every other', () => {
    const failure = classify(answered(550, 'RCPT TO'));
    expect(failure).toEqual({ decision: 'refuse', code: '550', reason: 'of the server' });
    expect(classify(new MailRefused(failure))).toEqual(failure);
  });
});
