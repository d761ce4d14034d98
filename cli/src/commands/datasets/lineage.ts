import { getLineage, type LineageNodeView, type LineageView } from '@weir/plugin-lineage/contract';
import { Command, Option } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { plainText } from '../../plain-text.ts';

const COLUMNS = [
  'node_id as table',
  'state',
  'total_records as rows',
  'committed_at as age',
  'made_by.name as made_by',
];
const COUNTS = new Intl.NumberFormat('en');

/** What a table comes from and what is made of it, as a tree each way; without a table, all of them. */
export class Lineage extends WeirCommand {
  static override paths = [['lineage']];
  static override usage = Command.Usage({
    category: 'Datasets',
    description: getLineage.summary,
    examples: [
      ['What a table comes from and what is made of it', 'weir lineage gold.demo.flight_delays'],
      [
        'What one of its columns follows from',
        'weir lineage gold.demo.flight_delays --column delay --direction upstream',
      ],
      ['All tables, and which are behind', 'weir lineage'],
    ],
  });

  dataset = Option.String({ name: 'dataset_id', required: false });
  direction = Option.String('--direction', { description: 'upstream, downstream or both (both unless given)' });
  depth = Option.String('--depth', { description: 'How many steps from the table, 1 to 10 (3 unless given)' });
  column = Option.String('--column', { description: 'Only what this column of the table follows from or decides' });

  async execute(): Promise<number> {
    const api = await this.api();
    const found = await api.call(getLineage, {
      query: {
        ...(this.dataset !== undefined && { dataset_id: this.dataset }),
        ...(this.direction !== undefined && { direction: this.direction as 'both' }),
        ...(this.depth !== undefined && { depth: this.depth as unknown as number }),
        ...(this.column !== undefined && { column: this.column }),
      },
    });
    if (this.format() !== 'table' || this.query !== undefined) await this.show(found);
    else if (found.root === null) await this.show({ items: found.nodes }, { columns: COLUMNS });
    else this.context.stdout.write(plainText(`${treeOf(found, found.root).join('\n')}\n`));
    if (found.truncated) this.note('there are more; --depth shows less of it');
    return 0;
  }
}

/** The root with what it comes from below it, then what is made of it. A node that was written before is not followed again. */
export function treeOf({ nodes, edges }: LineageView, root: string): string[] {
  const byId = new Map(nodes.map((node) => [node.node_id, node]));
  const columnsOf = (id: string, way: 'from' | 'to') => [
    ...new Set(
      edges
        .filter((edge) => edge[way] === id)
        .flatMap(({ columns }) => columns ?? [])
        .flatMap((one) =>
          way === 'to' ? [one.column] : [...one.sources, ...one.influences].map(({ column }) => column),
        ),
    ),
  ];
  const branches = (id: string, way: 'from' | 'to', seen: Set<string>, indent: string): string[] => {
    const other = way === 'from' ? 'to' : 'from';
    const next = [...new Set(edges.filter((edge) => edge[other] === id).map((edge) => edge[way]))];
    return next.flatMap((one, at) => {
      const isLast = at === next.length - 1;
      const line = `${indent}${isLast ? '└─ ' : '├─ '}${nodeText(byId.get(one), columnsOf(one, way))}`;
      if (seen.has(one)) return [`${line} …`];
      seen.add(one);
      return [line, ...branches(one, way, seen, `${indent}${isLast ? '   ' : '│  '}`)];
    });
  };
  const before = branches(root, 'from', new Set([root]), '');
  const after = branches(root, 'to', new Set([root]), '');
  return [
    nodeText(byId.get(root), []),
    ...(before.length === 0 ? [] : ['comes from', ...before]),
    ...(after.length === 0 ? [] : ['is read for', ...after]),
    ...(before.length + after.length === 0 ? ['nothing in force reads it, or makes it of others'] : []),
  ];
}

function nodeText(node: LineageNodeView | undefined, columns: readonly string[]): string {
  if (node === undefined) return '?';
  const { node_id: id, kind, name, state, total_records: rows, readable, last_run: last } = node;
  const word = kind === 'table' ? id : `${kind.replace('_', ' ')} ${name}`;
  if (!readable) return `${word}  not yours to read`;
  const facts = [
    columns.length > 0
      ? columns.join(', ')
      : rows === null
        ? ''
        : `${COUNTS.format(Number(rows))} ${rows === '1' ? 'row' : 'rows'}`,
    last?.status === 'failed' ? 'failed' : (state ?? '').replace('_', ' '),
  ].filter((fact) => fact !== '');
  return [word, ...facts].join('  ');
}
