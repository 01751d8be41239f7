export const paletteTexts = {
  label: 'Find a page, a thing or an action',
  placeholder: 'Go to a page, find a thing, do something …',
  none: 'Nothing has that name.',
  page: 'Page',
  action: 'Action',
  switchTheme: 'Switch theme',
  thing: 'Thing',
};
