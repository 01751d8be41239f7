/** A piece of a sentence. */
export type Piece = { kind: 'plain' | 'strong' | 'code'; text: string };

/** The paragraphs of a section of the runbooks, which are written in Markdown; undefined if there is none. */
export function sectionOf(runbooks: string, name: string): Piece[][] | undefined {
  const [, section] = runbooks.split(`\n## ${name}\n`);
  const text = section?.split('\n## ')[0]?.trim();
  return text
    ?.split(/\n(?=- )|\n\n/)
    .map((paragraph) => piecesOf(paragraph.replace(/^- /, '').replaceAll(/\s+/g, ' ')));
}

/** Links lead to other documents: their words stay. */
function piecesOf(paragraph: string): Piece[] {
  return paragraph
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .split(/(\*\*[^*]+\*\*|`[^`]+`)/)
    .filter((text) => text !== '')
    .map((text) => {
      if (text.startsWith('**')) return { kind: 'strong', text: text.slice(2, -2) };
      if (text.startsWith('`')) return { kind: 'code', text: text.slice(1, -1) };
      return { kind: 'plain', text };
    });
}
