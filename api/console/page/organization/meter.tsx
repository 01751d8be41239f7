import { partsTexts } from '../texts/parts.ts';

/** From this share of its limit on, a figure asks for attention. */
const nearFull = 0.8;

/** How much is used of what is allowed: a figure with its bar, or without one where there is no limit. */
export function Meter({
  label,
  about,
  value,
  limit,
}: {
  label: string;
  /** Of which time the figure is. */
  about: string;
  value: number;
  limit: number | undefined;
}) {
  const share = limit === undefined ? undefined : shareOf(value, limit);
  return (
    <div class="meter" data-tone={toneOf(share)}>
      <div class="row spread">
        <h3>{label}</h3>
        <span class="muted small">{about}</span>
      </div>
      <p class="figure">
        <strong>{partsTexts.number(value)}</strong>{' '}
        <span class="muted">{limit === undefined ? partsTexts.noLimit : partsTexts.of(limit)}</span>
        {share !== undefined && <span class="share">{partsTexts.share(share)}</span>}
      </p>
      {share !== undefined && (
        <div
          class="track"
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(value, limit ?? value)}
          aria-valuetext={`${partsTexts.number(value)} ${partsTexts.of(limit ?? 0)}`}
        >
          <svg preserveAspectRatio="none" viewBox="0 0 100 1" aria-hidden="true">
            <rect width={Math.min(1, share) * 100} height="1" />
          </svg>
        </div>
      )}
    </div>
  );
}

function shareOf(value: number, limit: number): number {
  if (limit === 0) return value === 0 ? 0 : 1;
  return value / limit;
}

function toneOf(share: number | undefined): string | undefined {
  if (share === undefined || share < nearFull) return undefined;
  return share >= 1 ? 'bad' : 'warn';
}
