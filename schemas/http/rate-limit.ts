/** How often, or how much at once, something may be asked for. */
export type RateLimit = {
  name: string;
  quota: number;
  /** In which time; without one it is a number at once. */
  windowSeconds?: number;
};

/** What is left of a limit; all of its quota is there again after `resetSeconds`, where that is known. */
export type RateLeft = { rate: RateLimit; remaining: number; resetSeconds?: number | undefined };

/** What an answer says of these limits, as draft-ietf-httpapi-ratelimit-headers-11 has it. */
export function rateLimitHeaders(left: readonly RateLeft[]): {
  RateLimit: string;
  'RateLimit-Policy': string;
} {
  return {
    'RateLimit-Policy': left.map(({ rate }) => policyOf(rate)).join(', '),
    RateLimit: left.map(leftOf).join(', '),
  };
}

function policyOf({ name, quota, windowSeconds }: RateLimit): string {
  const within = windowSeconds === undefined ? ';qu="concurrent-requests"' : `;w=${windowSeconds}`;
  return `"${name}";q=${quota}${within}`;
}

function leftOf({ rate: { name, windowSeconds }, remaining, resetSeconds }: RateLeft): string {
  const reset =
    windowSeconds === undefined || resetSeconds === undefined ? '' : `;t=${resetSeconds}`;
  return `"${name}";r=${remaining}${reset}`;
}
