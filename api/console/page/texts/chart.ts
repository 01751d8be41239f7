export const chartTexts = {
  keys: 'Chart. Plus and minus zoom, the arrows to the left and right move, 0 resets, comma and full stop read the values out.',
  value: (name: string, value: string, unit: string) =>
    `${name}: ${value}${unit === '' ? '' : ` ${unit}`}`,
};
