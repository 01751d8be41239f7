import { element } from './elements.js';

/**
 * @typedef {{ method: string, path: string, name: string, query: [string, string][], scheme: string,
 *   body: { type: string, text: string } | undefined, command: string, ofClient: boolean }} Asked
 */

const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", `'\\''`)}'`;
const literal = (/** @type {unknown} */ value) => JSON.stringify(value);

/** The ids in a path, by their names. @param {string} path */
const idsIn = (path) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** @param {Asked} asked */
function urlOf({ path, query }) {
  // What stands in braces is for the reader to fill in.
  const text = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `${new URL('.', document.baseURI).href.slice(0, -1)}${path}${text === '' ? '' : `?${text}`}`;
}

/** @param {Asked} asked */
function headersOf({ scheme, body }) {
  return {
    ...(scheme === '' ? {} : { authorization: `${scheme} YOUR_KEY` }),
    ...(body === undefined ? {} : { 'content-type': body.type }),
  };
}

/** @param {Asked} asked */
function curl(asked) {
  const { method, body } = asked;
  const headers = Object.entries(headersOf(asked)).map(
    ([name, value]) => ` \\\n  --header ${quoted(`${name}: ${value}`)}`,
  );
  const data = body === undefined ? '' : ` \\\n  --data-binary ${quoted(body.text)}`;
  return `curl --globoff --request ${method} ${quoted(urlOf(asked))}${headers.join('')}${data}`;
}

/** @param {Asked} asked */
function javaScript(asked) {
  const { method, body } = asked;
  const data = body === undefined ? '' : `\n  body: ${literal(body.text)},`;
  return `const response = await fetch(${literal(urlOf(asked))}, {
  method: ${literal(method)},
  headers: ${literal(headersOf(asked))},${data}
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.text());`;
}

/** @param {Asked} asked */
function client({ name, path, query, body }) {
  const ids = idsIn(path).map((id) => `${id}: ${literal(`{${id}}`)}`);
  const filters = query.map(([filter, value]) => `${filter}: ${literal(value)}`);
  const request = [
    ...(ids.length === 0 ? [] : [`path: { ${ids.join(', ')} }`]),
    ...(filters.length === 0 ? [] : [`query: { ${filters.join(', ')} }`]),
    ...(body === undefined ? [] : [`body: ${body.text}`]),
  ];
  return `import { Millrace } from 'millrace/client';

const url = ${literal(new URL('.', document.baseURI).href.slice(0, -1))};
const millrace = new Millrace({ url, token: process.env.MILLRACE_TOKEN });
console.log(await millrace.call(${literal(name)}, { ${request.join(', ')} }));`;
}

/** @param {Asked} asked */
function python(asked) {
  const { method, body } = asked;
  const data = body === undefined ? '' : `\n    data=${literal(body.text)}.encode(),`;
  return `import urllib.request

request = urllib.request.Request(
    ${literal(urlOf(asked))},
    method=${literal(method)},
    headers=${literal(headersOf(asked))},${data}
)
with urllib.request.urlopen(request) as response:
    print(response.read().decode())`;
}

const languages = {
  curl,
  'Command line': (/** @type {Asked} */ { command }) => command,
  JavaScript: javaScript,
  'Millrace client': client,
  Python: python,
};

/**
 * In which of them the request can be written.
 *
 * @param {Asked} asked
 */
const writersFor = ({ command, ofClient }) =>
  Object.entries(languages).filter(
    ([name]) =>
      (name !== 'Command line' || command !== '') && (name !== 'Millrace client' || ofClient),
  );

/**
 * The request in several languages, one of them shown.
 *
 * @param {Asked} asked
 * @returns {Node[]}
 */
export function samplesOf(asked) {
  const text = element('pre', { tabIndex: 0, role: 'group', ariaLabel: 'Sample' });
  const buttons = writersFor(asked).map(([name, write]) => {
    const button = element('button', { type: 'button', className: 'choice' }, name);
    const show = () => {
      text.textContent = write(asked);
      for (const one of buttons) one.setAttribute('aria-pressed', String(one === button));
    };
    button.addEventListener('click', show);
    return button;
  });
  buttons[0]?.click();
  return [element('div', { className: 'choices' }, ...buttons), text];
}
