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
 * A table; the first cell of each row is its heading.
 *
 * @param {string} caption read aloud only by those who do not see what stands above it
 * @param {{ text: string, className?: string }[]} columns
 * @param {{ className?: string, cells: (Node | string)[][] }[]} rows
 */
export function table(caption, columns, rows) {
  const made = element('table', { ariaLabel: caption });
  const heads = columns.map(({ text, className = '' }) =>
    element('th', { scope: 'col', className }, text),
  );
  made.append(element('thead', {}, element('tr', {}, ...heads)));
  const lines = rows.map(({ className = '', cells }) => {
    const filled = cells.map((content, i) =>
      i === 0
        ? element('th', { scope: 'row' }, ...content)
        : element('td', { className: columns[i]?.className ?? '' }, ...content),
    );
    return element('tr', { className }, ...filled);
  });
  made.append(element('tbody', {}, ...lines));
  return made;
}
