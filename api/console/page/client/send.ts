import { type ApiError, ConnectionError, refusalOf } from '../../../../schemas/client/errors.ts';

/** @throws ConnectionError where no answer comes, `AbortError` once `signal` has ended it. */
export async function send(
  url: string,
  method: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  try {
    return await fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof TypeError) throw new ConnectionError(location.origin, error);
    throw error;
  }
}

export async function refusalIn(response: Response): Promise<ApiError> {
  const { status, headers } = response;
  return refusalOf(status, (name) => headers.get(name), await response.text().catch(() => ''));
}
