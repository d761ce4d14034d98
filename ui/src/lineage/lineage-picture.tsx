import { Anchor, Stack, Table, Text } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { JobView, LineageNodeView, LineageView } from '@weir/plugin-lineage/contract';
import { CheckCircle2, CircleDashed, History, XCircle } from 'lucide-react';
import { type CSSProperties, useMemo } from 'react';
import { DrawnGraph } from '../graph/drawn-graph.tsx';
import { counted, countText } from '../parts/numbers.ts';
import { ShowTime, useNow } from '../parts/show-time.tsx';
import { ToneWord } from '../parts/status-word.tsx';
import { LongTable } from '../table/long-table.tsx';
import { LayerWord } from './layer-word.tsx';
import { type DrawnNode, drawnGraph, nodeFacts, troubleOf } from './lineage-words.ts';
import './lineage.css';

/** A picture of more says nothing. */
const MAX_DRAWN = 150;

interface LineagePictureProps {
  lineage: LineageView;
  /** The column of the root that is traced. */
  column: string | undefined;
  /** Where a box leads. */
  linkTo(node: LineageNodeView): LinkProps;
}

/** What comes from what: boxes with arrows, and the same as a list. */
export function LineagePicture({ lineage, column, linkTo }: LineagePictureProps) {
  const graph = useMemo(() => drawnGraph(lineage, column), [lineage, column]);
  const { nodes, truncated, root } = lineage;
  return (
    <Stack gap="md">
      {nodes.length > MAX_DRAWN ? (
        <Text size="sm" c="dimmed">
          {counted(nodes.length, 'table')}
          {truncated ? ', and more' : ''}: too many for a picture. Choose one of them to see what is around it.
        </Text>
      ) : (
        <DrawnGraph
          graph={graph}
          label="Lineage"
          node={(one, style) => <Box node={one} style={style} isHere={one.code === root} link={linkTo(one.node)} />}
        />
      )}
      <NodeList nodes={graph.nodes} hasColumns={column !== undefined} />
    </Stack>
  );
}

function Box({
  node: drawn,
  style,
  isHere,
  link,
}: {
  node: DrawnNode;
  style: CSSProperties;
  isHere: boolean;
  link: LinkProps;
}) {
  const now = useNow();
  const { node } = drawn;
  const trouble = troubleOf(node);
  const inside = (
    <>
      <span className="relation-name">
        {node.name}
        {trouble === undefined ? null : (
          <span className="lineage-trouble" data-tone={trouble.tone}>
            {trouble.word}
          </span>
        )}
      </span>
      <span className="relation-facts">{nodeFacts(drawn, now)}</span>
    </>
  );
  const shown = {
    className: 'relation-node lineage-node',
    style,
    title: node.node_id,
    'data-layer': node.layer ?? node.kind,
  };
  if (!node.readable)
    return (
      <span {...shown} data-missing>
        {inside}
      </span>
    );
  return (
    <Link {...link} {...shown} data-here={isHere}>
      {inside}
    </Link>
  );
}

function NodeList({ nodes, hasColumns }: { nodes: readonly DrawnNode[]; hasColumns: boolean }) {
  return (
    <LongTable
      label="Lineage as a list"
      minWidth={760}
      head={
        <>
          <Table.Th>Name</Table.Th>
          <Table.Th>{hasColumns ? 'Columns' : 'Layer'}</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th ta="right">Rows</Table.Th>
          <Table.Th>Last commit</Table.Th>
          <Table.Th>Made by</Table.Th>
        </>
      }
      rows={nodes}
      keyOf={({ code }) => code}
      foot={counted(nodes.length, 'node')}
    >
      {({ node, columns }) => <NodeRow node={node} columns={hasColumns ? columns : undefined} />}
    </LongTable>
  );
}

function NodeRow({ node, columns }: { node: LineageNodeView; columns: readonly string[] | undefined }) {
  const { node_id: id, readable, total_records: rows, committed_at: at, made_by: job, layer } = node;
  return (
    <>
      <Table.Td>
        {readable ? (
          <Anchor data-row fw={560} renderRoot={(props) => <Link {...pageOf(node)} {...props} />}>
            {node.dataset_id ?? node.name}
          </Anchor>
        ) : (
          id
        )}
      </Table.Td>
      <Table.Td>
        {columns !== undefined ? (
          columns.join(', ')
        ) : layer === null ? (
          node.kind.replace('_', ' ')
        ) : (
          <LayerWord layer={layer} />
        )}
      </Table.Td>
      <Table.Td>
        <State node={node} />
      </Table.Td>
      <Table.Td ta="right">{rows === null ? '–' : countText(Number(rows))}</Table.Td>
      <Table.Td>{at === null ? '–' : <ShowTime at={at} size="sm" />}</Table.Td>
      <Table.Td>{job === null ? '–' : <JobLink job={job} />}</Table.Td>
    </>
  );
}

const ICONS = { bad: XCircle, warn: History, quiet: CircleDashed } as const;

function State({ node }: { node: LineageNodeView }) {
  const trouble = troubleOf(node);
  if (trouble !== undefined) return <ToneWord icon={ICONS[trouble.tone]} tone={trouble.tone} word={trouble.word} />;
  return node.state === 'current' ? <ToneWord icon={CheckCircle2} tone="good" word="Current" /> : '–';
}

/** The page of what makes a table. */
export function JobLink({ job: { kind, id, name } }: { job: JobView }) {
  return (
    <Anchor inherit renderRoot={(props) => <Link {...jobPage(kind, id)} {...props} />}>
      {name}
    </Anchor>
  );
}

function jobPage(kind: JobView['kind'], id: string): LinkProps {
  if (kind === 'source') return { to: '/sources/$sourceId', params: { sourceId: id } };
  if (kind === 'transform') return { to: '/transforms/$transformId', params: { transformId: id } };
  return { to: '/ontology/backing/$backingId', params: { backingId: id } };
}

/** The page of a node. */
export function pageOf({ kind, node_id: id, dataset_id: datasetId }: LineageNodeView): LinkProps {
  const rest = id.slice(id.indexOf(':') + 1);
  if (kind === 'source') return { to: '/sources/$sourceId', params: { sourceId: rest } };
  if (kind === 'entity_type') return { to: '/ontology/types/$code', params: { code: rest } };
  return { to: '/datasets/$datasetId', params: { datasetId: datasetId ?? id }, search: { tab: 'lineage' } };
}
