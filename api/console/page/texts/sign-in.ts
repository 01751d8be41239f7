import { count } from './words.ts';

export const signInTexts = {
  title: 'Sign in',
  email: 'E-mail',
  password: 'Password',
  submit: 'Sign in',
  ended: 'Your session has ended. Sign in to go on where you were.',
  wrong: 'This e-mail and password don’t match.',
  tooMany: (seconds: number) =>
    `Too many attempts. Try again in ${count(Math.ceil(seconds / 60), 'minute', 'minutes')}.`,
};
