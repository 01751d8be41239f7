import type { TreeGroup } from '../../../schemas/resources/tree.ts';

/** Puts groups under their parents. A group without a parent among them stands at the top. */
export function nest(groups: TreeGroup[]): TreeGroup[] {
  const children = new Map<string, TreeGroup[]>(groups.map((group) => [group.id, []]));
  const nodes = groups.map((group) => ({ ...group, children: children.get(group.id) ?? [] }));
  return nodes.filter((node) => {
    const siblings = children.get(node.parent_id ?? '');
    siblings?.push(node);
    return siblings === undefined;
  });
}
