import type { Queues } from './open.ts';
import type { Tokens } from '../../access/tokens/jwt.ts';
import { Type } from 'typebox';
import type { ErrorCode } from '../../../schemas/http/errors.ts';
import { acceptJsonBodies } from '../../http/body.ts';
import { protect } from '../../http/browsers.ts';
import { toDomainError } from '../../http/errors.ts';
import type { Api } from '../../http/schemas.ts';
import { boardPolicy, createBoard } from './board.ts';
import type { LoginDependencies } from '../../access/tokens/login.ts';
import { logIn } from './login.ts';
import { loginPage, loginPolicy, logoutPage } from './login-page.ts';
import {
  dashboardPath,
  mustBeSameOrigin,
  sessionCookie,
} from '../../access/credentials/session.ts';

const loginPath = `${dashboardPath}/login`;
const logoutPath = `${dashboardPath}/logout`;
const formBytesMax = 16 * 1024;

const LoginForm = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 254 }),
  password: Type.String({ minLength: 1, maxLength: 1024 }),
});

/** What the login page says about these errors. Others are answered as everywhere. */
const problems: Partial<Record<ErrorCode, string>> = {
  malformed: 'E-mail and password are needed.',
  login_failed: 'E-mail and password do not belong together.',
  too_many: 'Too many attempts. Wait a while.',
  unavailable: 'The service is not there just now. Try again soon.',
};

/**
 * The queues' dashboard, and its own login. Bull Board's routes can't name their operations, and are all one: so this
 * comes before the rule that each route must name its own.
 */
export function dashboardRoutes(
  api: Api,
  dependencies: LoginDependencies & { queueTokens: Tokens; queues: Queues },
): void {
  api.addHook('onRoute', (route) => {
    if (route.url !== dashboardPath && !route.url.startsWith(`${dashboardPath}/`)) return;
    route.config = { operation: 'useQueues', ...route.config };
  });
  api.register(async (pages) => loginRoutes(pages, dependencies));
  api.register(async (board) => {
    acceptJsonBodies(board);
    protect(board, boardPolicy);
    board.addHook('preHandler', () => dependencies.queues.ask(async () => undefined));
    board.setErrorHandler((error, request, reply) => {
      const isPage = request.method === 'GET' && request.headers.accept?.includes('text/html');
      if (isPage !== true || toDomainError(error).status !== 401) throw error;
      reply.redirect(loginPath, 303);
    });
    board.register(createBoard(dependencies.queues, dependencies.db), { prefix: dashboardPath });
  });
}

function loginRoutes(api: Api, dependencies: LoginDependencies & { queueTokens: Tokens }): void {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formBytesMax },
    (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(body.toString())));
    },
  );
  protect(api, loginPolicy);
  api.setErrorHandler((error, _request, reply) => {
    const { code, detail, retryAfterSeconds, status } = toDomainError(error);
    const problem = code === 'forbidden' ? detail : problems[code];
    if (problem === undefined) throw error;
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
    reply.status(status).type('text/html; charset=utf-8').send(loginPage(problem));
  });

  api.route({
    method: 'GET',
    url: loginPath,
    config: { operation: 'enterQueues' },
    handler: async (_request, reply) => reply.type('text/html; charset=utf-8').send(loginPage('')),
  });

  api.route({
    method: 'POST',
    url: loginPath,
    bodyLimit: formBytesMax,
    schema: { body: LoginForm },
    config: { operation: 'enterQueues' },
    handler: async (request, reply) => {
      mustBeSameOrigin(request);
      const token = await logIn(dependencies, { ...request.body, address: request.clientAddress });
      return reply.header('set-cookie', sessionCookie(request, token)).redirect(dashboardPath, 303);
    },
  });

  api.route({
    method: 'GET',
    url: logoutPath,
    config: { operation: 'enterQueues' },
    handler: async (_request, reply) => reply.type('text/html; charset=utf-8').send(logoutPage()),
  });

  api.route({
    method: 'POST',
    url: logoutPath,
    config: { operation: 'enterQueues' },
    handler: async (request, reply) => {
      mustBeSameOrigin(request);
      return reply.header('set-cookie', sessionCookie(request, '')).redirect(loginPath, 303);
    },
  });
}
