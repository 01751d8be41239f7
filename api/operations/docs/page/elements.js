/**
 * An element with these properties and children.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/**
 * Text in which what stands between backticks is code, and between two stars strong.
 *
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function words(text) {
  return text.split(/(`[^`]*`|\*\*[^*]*\*\*)/).map((part, i) => {
    if (i % 2 === 0) return part;
    return part.startsWith('`')
      ? element('code', {}, part.slice(1, -1))
      : element('strong', {}, part.slice(2, -2));
  });
}

/**
 * Text of several lines: empty ones part paragraphs, and `- ` begins an item of a list.
 *
 * @param {string} text
 * @returns {Node[]}
 */
export function paragraphs(text) {
  return text
    .split(/\n{2,}|\n(?=- )/)
    .map((part) =>
      part.startsWith('- ')
        ? element('ul', {}, element('li', {}, ...words(part.slice(2))))
        : element('p', {}, ...words(part)),
    );
}
