export const registerTexts = {
  title: 'Make your account',
  emailHint: 'The one that the invite was sent to.',
  passwordHint: '8 characters or more.',
  submit: 'Make the account',
};
