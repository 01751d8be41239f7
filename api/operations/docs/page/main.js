import { element, paragraphs, words } from './elements.js';
import { samplesOf } from './samples.js';
import { membersOf, typeOf } from './schemas.js';

/**
 * @typedef {import('./schemas.js').Schema} Schema
 * @typedef {import('./schemas.js').Schemas} Schemas
 * @typedef {Record<string, { schema?: Schema, example?: unknown }>} Content
 * @typedef {{ name: string, in: string, required?: boolean, description?: string, schema: Schema, example?: unknown }} Parameter
 * @typedef {{ $ref?: string, description?: string, content?: Content, headers?: Record<string, { description?: string }> }} Response
 * @typedef {{
 *   operationId: string, security?: Record<string, unknown>[], summary: string, description: string, tags: string[], 'x-command'?: string, parameters?: Parameter[],
 *   requestBody?: { required?: boolean, content: Content }, responses: Record<string, Response>
 * }} Operation
 * @typedef {{
 *   info: { version: string, description: string }, tags: { name: string, description: string }[],
 *   paths: Record<string, Record<string, Operation>>,
 *   components: { schemas: Schemas, responses: Record<string, Response> }
 * }} OpenApi
 */

const answerCharsMax = 65_536;
const answerMsMax = 15_000;

const main = document.querySelector('main') ?? document.body;

const scheme = element(
  'select',
  {},
  ...['Bearer', 'Thing', 'External'].map((name) => element('option', {}, name)),
);
const secret = element('input', { type: 'password', autocomplete: 'off' });
/** The browser sends the session of the console by itself. */
const ofSession = 'Session';
scheme.addEventListener('change', () => {
  secret.disabled = scheme.value === ofSession;
});

/** Offers the session of who is signed in at the console, in the place of a key. */
async function offerSession() {
  const answer = await fetch('console/session').catch(() => undefined);
  if (answer?.ok !== true) return;
  const { email } = await answer.json();
  scheme.prepend(element('option', { value: ofSession }, `Signed in as ${email}`));
  scheme.value = ofSession;
  secret.disabled = true;
}

/** @param {OpenApi} api */
function draw(api) {
  document.querySelector('#about')?.append(...paragraphs(api.info.description));
  const filter = element('input', { type: 'search' });
  const sections = api.tags.map((tag) => sectionOf(tag, api));
  filter.addEventListener('input', () => show(sections, filter.value.toLowerCase()));
  const links = api.tags.map(({ name }) =>
    element('li', {}, element('a', { href: `#${idOf(name)}` }, name)),
  );
  main.replaceChildren(
    element(
      'div',
      { className: 'side' },
      element('label', {}, 'Find an operation', filter),
      element('nav', { ariaLabel: 'Sections' }, element('ul', {}, ...links)),
    ),
    element(
      'div',
      { className: 'content' },
      element(
        'div',
        { className: 'credential' },
        element('label', {}, 'Credential', scheme),
        element('label', {}, 'Token, API key, or key of a thing', secret),
      ),
      ...sections,
    ),
  );
  const asked = document.getElementById(location.hash.slice(1));
  if (asked instanceof HTMLDetailsElement) asked.open = true;
  asked?.scrollIntoView();
}

/** @param {string} name */
const idOf = (name) => name.replaceAll(' ', '-');

/**
 * Only what has the text stays in sight.
 *
 * @param {HTMLElement[]} sections
 * @param {string} text
 */
function show(sections, text) {
  for (const section of sections) {
    const operations = [...section.querySelectorAll('details')];
    for (const one of operations) {
      one.hidden = !(one.querySelector('summary')?.textContent ?? '').toLowerCase().includes(text);
    }
    section.hidden = operations.every((one) => one.hidden);
  }
}

/**
 * @param {{ name: string, description: string }} tag
 * @param {OpenApi} api
 */
function sectionOf({ name, description }, api) {
  const all = Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation.tags.includes(name))
      .map(([method, operation]) => operationOf(method.toUpperCase(), path, operation, api)),
  );
  return element(
    'section',
    { id: idOf(name) },
    element('h2', {}, name),
    element('p', {}, ...words(description)),
    ...all,
  );
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Operation} operation
 * @param {OpenApi} api
 */
function operationOf(method, path, operation, api) {
  const made = element(
    'details',
    { id: operation.operationId },
    element(
      'summary',
      {},
      element('span', { className: 'method' }, method),
      ' ',
      element('code', {}, path),
      element('span', { className: 'summary' }, ` ${operation.summary}`),
    ),
  );
  // Drawn once it is opened: there are more than a hundred.
  const fill = () => made.append(...describe(method, path, operation, api));
  made.addEventListener('toggle', fill, { once: true });
  return made;
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Operation} operation
 * @param {OpenApi} api
 * @returns {Node[]}
 */
function describe(method, path, operation, { components }) {
  const { parameters = [], requestBody, responses } = operation;
  const given = parameters.map(({ name, in: place, required, description = '', schema }) =>
    element(
      'li',
      {},
      element('code', {}, name),
      element(
        'span',
        { className: 'type' },
        ` in the ${place}: ${typeOf(schema, components.schemas)}${required ? ', required' : ''} `,
      ),
      ...words(description),
    ),
  );
  return [
    element('p', {}, ...words(operation.description)),
    ...(given.length === 0
      ? []
      : [element('h3', {}, 'Parameters'), element('ul', { className: 'members' }, ...given)]),
    ...(requestBody === undefined
      ? []
      : [
          element('h3', {}, `Body${requestBody.required ? '' : ' (may be left out)'}`),
          ...contentOf(requestBody.content, components.schemas),
        ]),
    element('h3', {}, 'Answers'),
    ...Object.entries(responses).flatMap(([status, response]) => {
      const name = response.$ref?.split('/').at(-1) ?? '';
      const { description = '', content = {} } = components.responses[name] ?? response;
      return [
        element('p', {}, element('code', {}, status), ' ', ...words(description)),
        ...(response.$ref === undefined ? contentOf(content, components.schemas) : []),
      ];
    }),
    element('h3', {}, 'Samples'),
    ...samplesOf(sampleOf(method, path, operation)),
    element('h3', {}, 'Try it'),
    formOf(method, path, operation),
  ];
}

/**
 * The request with what it needs, and with the example of its body.
 *
 * @param {string} method
 * @param {string} path
 * @param {Operation} operation
 */
function sampleOf(method, path, operation) {
  const { operationId: name, parameters = [], requestBody, responses, security = [] } = operation;
  // `call` of the client sends and reads JSON, for users.
  const good = Object.entries(responses).find(([status]) => status < '300')?.[1].content ?? {};
  const types = [...Object.keys(good), ...Object.keys(requestBody?.content ?? {})];
  const needed = parameters.filter(({ in: place, required }) => place === 'query' && required);
  const [type = '', { example = '' } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const kinds = security.flatMap((one) => Object.keys(one));
  return {
    method,
    path,
    name,
    query: needed.map((one) => /** @type {[string, string]} */ ([one.name, valueFor(one)])),
    scheme: kinds.includes('bearer') ? 'Bearer' : kinds.includes('thing') ? 'Thing' : '',
    body: requestBody === undefined ? undefined : { type, text: textOf(example) },
    command: operation['x-command'] ?? '',
    ofClient: kinds.includes('bearer') && types.every((one) => one === 'application/json'),
  };
}

/** @param {Parameter} parameter */
const valueFor = ({ name, example, schema }) => textOf(example ?? schema.enum?.[0] ?? `{${name}}`);

/**
 * A field for a parameter: a choice where it takes one of several words.
 *
 * @param {Parameter} parameter
 */
function fieldOf({ name, required = false, schema: { enum: values } }) {
  if (values === undefined) return element('input', { name, required });
  const options = [...(required ? [] : ['']), ...values.map(String)];
  return element('select', { name, required }, ...options.map((one) => element('option', {}, one)));
}

/**
 * @param {Content} content
 * @param {Schemas} schemas
 * @returns {Node[]}
 */
function contentOf(content, schemas) {
  return Object.entries(content).flatMap(([type, { schema = {}, example }]) => [
    element('p', {}, element('code', {}, type), ' ', ...words(schema.description ?? '')),
    ...membersOf(schema, schemas),
    ...(example === undefined ? [] : [shown(textOf(example), `Example, ${type}`)]),
  ]);
}

/** @param {unknown} example */
const textOf = (example) =>
  typeof example === 'string' ? example : JSON.stringify(example, null, 2);

/**
 * Text that may be wider or longer than its place, which keys can scroll.
 *
 * @param {string} text
 * @param {string} label
 */
function shown(text, label) {
  return element('pre', { tabIndex: 0, role: 'group', ariaLabel: label }, text);
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Operation} operation
 */
function formOf(method, path, { parameters = [], requestBody }) {
  const inputs = parameters.map((parameter) => ({
    ...parameter,
    input: fieldOf(parameter),
  }));
  const [type = '', { example = '' } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const body = element('textarea', { rows: 6, value: textOf(example) });
  const answer = element('div', { role: 'status' });
  const form = element(
    'form',
    {},
    ...inputs.map(({ name, input }) => element('label', {}, name, input)),
    ...(requestBody === undefined ? [] : [element('label', {}, `Body, ${type}`, body)]),
    element('button', { type: 'submit' }, `Send ${method}`),
    answer,
  );
  const sendIt = async () => {
    const query = new URLSearchParams();
    let at = path;
    for (const { name, in: place, input } of inputs) {
      if (place === 'path') at = at.replace(`{${name}}`, encodeURIComponent(input.value));
      else if (input.value !== '') query.set(name, input.value);
    }
    // Relative: a proxy may have the API anywhere.
    const url = `${at.slice(1)}${query.size === 0 ? '' : `?${query}`}`;
    const sends = requestBody !== undefined && (requestBody.required === true || body.value !== '');
    answer.replaceChildren('…');
    answer.replaceChildren(
      ...(await ask(method, url, sends ? { type, text: body.value } : undefined)),
    );
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void sendIt();
  });
  return form;
}

/**
 * @param {string} method
 * @param {string} url
 * @param {{ type: string, text: string } | undefined} body
 * @returns {Promise<Node[]>}
 */
async function ask(method, url, body) {
  try {
    const answer = await fetch(url, {
      method,
      headers: {
        ...(secret.value === '' || scheme.value === ofSession
          ? {}
          : { authorization: `${scheme.value} ${secret.value}` }),
        ...(body === undefined ? {} : { 'content-type': body.type }),
      },
      ...(body === undefined ? {} : { body: body.text }),
      signal: AbortSignal.timeout(answerMsMax),
    });
    const facts = ['location', 'retry-after', 'x-request-id']
      .filter((name) => answer.headers.has(name))
      .map((name) => `${name}: ${answer.headers.get(name)}`);
    const text = await beginningOf(answer);
    return [
      element('p', {}, [`${answer.status} ${answer.statusText}`, ...facts].join(' · ')),
      ...(text === '' ? [] : [shown(indented(text), 'Answer')]),
    ];
  } catch (error) {
    return [element('p', {}, error instanceof Error ? error.message : String(error))];
  }
}

/**
 * As much of an answer as is shown: it may be a stream without an end.
 *
 * @param {globalThis.Response} answer
 */
async function beginningOf(answer) {
  let text = '';
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      text += part.value;
      if (text.length > answerCharsMax) {
        await reader?.cancel();
        return `${text.slice(0, answerCharsMax)}…`;
      }
    }
  } catch (error) {
    if (text === '') throw error;
  }
  return text;
}

/** @param {string} text */
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

try {
  draw(await (await fetch('docs/json')).json());
  await offerSession();
} catch (error) {
  main.replaceChildren(
    element('p', { role: 'alert' }, `The document could not be read: ${String(error)}`),
  );
}
