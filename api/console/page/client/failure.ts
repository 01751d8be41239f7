import { membersOf } from '../../../../schemas/members.ts';

/** Why the API did not answer: `status` 0 where no answer came at all. */
export class Failure extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;

  constructor(
    message: string,
    about: { status: number; code?: string; retryAfterSeconds?: number; requestId?: string },
  ) {
    super(message);
    this.name = 'Failure';
    this.status = about.status;
    this.code = about.code ?? '';
    this.retryAfterSeconds = about.retryAfterSeconds;
    this.requestId = about.requestId;
  }
}

/** The failure that an answer tells of. */
export async function failureOf(response: Response): Promise<Failure> {
  const body: unknown = await response.json().catch(() => ({}));
  const { error, code, request_id: requestId } = membersOf(body);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new Failure(typeof error === 'string' ? error : response.statusText, {
    status: response.status,
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
  });
}
