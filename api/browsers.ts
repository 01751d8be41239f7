import type { Api } from './shapes.ts';

/** What a browser may do with all that is answered here. */
export function protect(api: Api, policy: string): void {
  api.addHook('onSend', async (_request, reply) => {
    reply
      .header('content-security-policy', policy)
      .header('x-frame-options', 'DENY')
      // Not `no-referrer`: a browser's forms would not tell their origin then.
      .header('referrer-policy', 'same-origin')
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cross-origin-resource-policy', 'same-origin');
  });
}
