const hugeFrom = 1e15;
const tinyBelow = 1e-6;

/** A number that was measured, with so many digits that count; what is huge or tiny as a power of ten. */
export function numberWriter(digits: number): (value: number) => string {
  const options = { maximumSignificantDigits: digits };
  const plain = new Intl.NumberFormat('en', options);
  const power = new Intl.NumberFormat('en', { ...options, notation: 'scientific' });
  return (value) => (isExtreme(value) ? power : plain).format(value);
}

/** The same, short: `1.2K`. */
export function shortNumberWriter(digits: number): (value: number) => string {
  const options = { maximumSignificantDigits: digits };
  const compact = new Intl.NumberFormat('en', { ...options, notation: 'compact' });
  const power = new Intl.NumberFormat('en', { ...options, notation: 'scientific' });
  return (value) => (isExtreme(value) ? power : compact).format(value);
}

function isExtreme(value: number): boolean {
  const size = Math.abs(value);
  return size >= hugeFrom || (size > 0 && size < tinyBelow);
}
