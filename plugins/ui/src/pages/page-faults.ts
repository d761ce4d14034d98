import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { pathNames } from '@weir/kernel/contract';
import { UI_BLOCKS, type UiBlock, type UiPage, UiPageDocument } from '../contract.ts';
import { type Owned, operationsOf } from './operations.ts';

/** What is wrong in the pages of plugins, each with its place: in words for whoever writes the plugin. */
export function pageFaults(pages: readonly UiPage[], endpoints: readonly Owned[]): string[] {
  const known = new Map(endpoints.map((one) => [one.id, one]));
  const addresses = new Set<string>();
  return pages.flatMap((page) => {
    const shape = shapeFaults(page);
    const place = `page ${page.plugin}/${page.name}`;
    if (shape.length > 0) return shape.map((fault) => `${place}: ${fault}`);
    const isTaken = addresses.has(place);
    addresses.add(place);
    const faults = [
      ...(isTaken ? ['another page has this address'] : []),
      ...operationsOf(page).flatMap((id) => operationFaults(page, id, known.get(id))),
    ];
    const all = faults.length > 0 ? faults : page.blocks.flatMap((block, i) => blockFaults(block, i, known));
    return all.map((fault) => `${place}: ${fault}`);
  });
}

/** Faults by the schema of the document, those of a block by that of its kind. */
function shapeFaults(page: UiPage): string[] {
  const document = firstFault(UiPageDocument, page, '');
  if (document !== undefined) return [document];
  return page.blocks.flatMap((block, i) => firstFault(UI_BLOCKS[block.kind], block, `/blocks/${i}`) ?? []);
}

function firstFault(schema: TSchema, value: unknown, at: string): string | undefined {
  const fault = Value.Errors(schema, value).First();
  return fault && `${at}${fault.path}: ${fault.message}`;
}

function operationFaults({ plugin }: UiPage, id: string, found: Owned | undefined): string[] {
  if (found === undefined || found.plugin !== plugin) return [`plugin ${plugin} has no endpoint ${id}`];
  return found.access.kind === 'tenant' ? [] : [`endpoint ${id} is of no tenant`];
}

function blockFaults(block: UiBlock, i: number, known: ReadonlyMap<string, Owned>): string[] {
  const at = `/blocks/${i}`;
  const of = (id: string) => known.get(id) as Owned;
  switch (block.kind) {
    case 'list': {
      const row = membersOf(of(block.read).response)?.items?.items;
      if (row === undefined) return [`${at}/read: ${block.read} lists no items`];
      const names = Object.keys(membersOf(row) ?? {});
      const wanted = (block.actions ?? []).flatMap(({ operation }) => pathNames(of(operation).path));
      return [
        ...readFaults(of(block.read), `${at}/read`),
        ...columnFaults(row, block.columns, `${at}/columns`),
        ...wanted
          .filter((name) => !names.includes(name))
          .map((name) => `${at}/actions: a row has no ${name}, which the path of an action wants`),
      ];
    }
    case 'facts':
      return [
        ...readFaults(of(block.read), `${at}/read`),
        ...columnFaults(of(block.read).response, block.facts, `${at}/facts`),
      ];
    case 'form':
      return [
        ...(of(block.operation).body === undefined ? [`${at}/operation: ${block.operation} takes no body`] : []),
        ...pathFaults(of(block.operation), `${at}/operation`),
      ];
    default:
      return block.actions.flatMap(({ operation }) => pathFaults(of(operation), `${at}/actions`));
  }
}

const readFaults = (endpoint: Owned, at: string): string[] => [
  ...(endpoint.method === 'GET' ? [] : [`${at}: ${endpoint.id} is no GET`]),
  ...pathFaults(endpoint, at),
];

const pathFaults = ({ id, path }: Owned, at: string): string[] =>
  pathNames(path).length === 0 ? [] : [`${at}: the path of ${id} wants ${pathNames(path).join(', ')}`];

function columnFaults(schema: unknown, columns: readonly { name: string }[], at: string): string[] {
  return columns.flatMap(({ name }, i) => {
    const found = name.split('.').reduce<unknown>((node, part) => membersOf(node)?.[part], schema);
    return found === undefined ? [`${at}/${i}: the answer has no ${name}`] : [];
  });
}

interface Node {
  properties?: Record<string, Node>;
  anyOf?: Node[];
  items?: Node;
}

/** The members of an object, also of one that may be null. */
function membersOf(schema: unknown): Record<string, Node> | undefined {
  const { properties, anyOf = [] } = (schema ?? {}) as Node;
  return properties ?? anyOf.find((one) => one.properties !== undefined)?.properties;
}
