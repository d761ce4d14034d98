import { Badge, Stack, Text, TextInput } from '@mantine/core';
import type { EntityTypeView, SuggestionsView } from '@weir/plugin-ontology/contract';
import { type DragEvent, type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { countText } from '../../parts/numbers.ts';
import { typeWords } from '../property-words.ts';
import { BoardLines, type Line } from './board-lines.tsx';
import { FillRow } from './fill-row.tsx';
import { LeadRow } from './lead-row.tsx';
import { arranged, type Column, chosenFill, filled, led, type Mapping } from './mapping.ts';
import './board.css';

/** More columns than this are filtered by a word. */
const MANY = 15;
/** As many are shown at once; linked ones come first. */
const MAX_SHOWN = 200;
/** What a column is dragged as. */
const DRAGGED = 'text/plain';

interface BoardProps {
  type: EntityTypeView;
  columns: readonly Column[];
  suggestions: SuggestionsView;
  mapping: Mapping;
  change(mapping: Mapping): void;
  /** What the server says of properties and relationships, by their codes. */
  faults: ReadonlyMap<string, string>;
}

/**
 * Columns on the left, what they fill on the right, and lines between: a sure suggestion is drawn, a doubtful one dashed until it is
 * taken. A column is dragged to its place, or picked and put there; each place also has a list of the columns.
 */
export function Board({ type, columns, suggestions, mapping, change, faults }: BoardProps) {
  const board = useRef<HTMLElement>(null);
  const [picked, setPicked] = useState<string>();
  const [word, setWord] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that move while a person links them would be lost
  const inOrder = useMemo(() => arranged(type, columns, mapping), [type, columns]);
  const fitting = inOrder.filter(({ name }) => name.toLowerCase().includes(word.toLowerCase()));
  const shown = fitting.slice(0, MAX_SHOWN);
  const needed = (code: string, required: boolean) => required || type.primary_key.includes(code);
  const properties = type.properties.toSorted(
    (a, b) => Number(needed(b.code, b.required)) - Number(needed(a.code, a.required)),
  );
  const lines = useMemo(() => linesOf(mapping), [mapping]);
  const fill = (code: string, column: string) => {
    change(filled(mapping, code, chosenFill(suggestions, code, column)));
    setPicked(undefined);
  };
  const dropped = (put: (column: string) => void) => ({
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      const column = event.dataTransfer.getData(DRAGGED);
      if (columns.some(({ name }) => name === column)) put(column);
    },
  });
  return (
    <section ref={board} className="board" aria-label="Mapping" onKeyDown={toNextUnmapped}>
      <Stack gap="xs" className="board-columns">
        {columns.length > MANY ? (
          <TextInput
            size="xs"
            aria-label="Filter columns"
            placeholder={`Filter ${columns.length} columns`}
            value={word}
            onChange={({ currentTarget: { value } }) => setWord(value)}
          />
        ) : null}
        <ul className="panel plain-list board-list" aria-label="Columns">
          {shown.map(({ name, type: of }) => (
            <li key={name}>
              <button
                type="button"
                className="board-column"
                data-end={`column ${name}`}
                aria-pressed={picked === name}
                draggable
                onDragStart={(event) => event.dataTransfer.setData(DRAGGED, name)}
                onClick={() => setPicked(picked === name ? undefined : name)}
              >
                <span>{name}</span>
                <span className="board-type">{of}</span>
              </button>
            </li>
          ))}
        </ul>
        {shown.length === 0 ? (
          <Text size="sm" c="dimmed">
            {columns.length === 0 ? 'The table has no columns.' : 'None fits the filter.'}
          </Text>
        ) : null}
        {fitting.length > shown.length ? (
          <Text size="sm" c="dimmed">
            {countText(shown.length)} of {countText(fitting.length)} columns. Filter them to see others.
          </Text>
        ) : null}
      </Stack>
      <ul className="panel plain-list board-list board-properties" aria-label="Properties">
        {properties.map(({ code, name, required, ...property }) => (
          <FillRow
            key={code}
            code={code}
            name={name}
            beside={
              <>
                {needed(code, required) ? (
                  <Badge size="sm" variant={type.primary_key.includes(code) ? 'light' : 'default'}>
                    {type.primary_key.includes(code) ? 'key' : 'required'}
                  </Badge>
                ) : null}
                <span className="board-type">{typeWords({ code, name, required, ...property })}</span>
              </>
            }
            columns={columns}
            fill={mapping.properties[code]}
            canBeSql={!type.primary_key.includes(code)}
            change={(next) => change(filled(mapping, code, next))}
            choose={(column) => fill(code, column)}
            picked={picked}
            fault={faults.get(code)}
            drop={dropped((column) => fill(code, column))}
          />
        ))}
        {type.relationships.map((relationship) => (
          <LeadRow
            key={relationship.code}
            relationship={relationship}
            columns={columns}
            lead={mapping.relationships[relationship.code]}
            change={(next) => {
              change(led(mapping, relationship.code, next));
              setPicked(undefined);
            }}
            picked={picked}
            fault={faults.get(relationship.code)}
            dropped={dropped}
          />
        ))}
      </ul>
      <BoardLines board={board} lines={lines} />
    </section>
  );
}

function linesOf({ properties, relationships }: Mapping): Line[] {
  const fills = Object.entries(properties).map(([code, { column, isDoubtful }]) => ({
    from: `column ${column}`,
    to: `property ${code}`,
    isDoubtful,
  }));
  const leads = Object.entries(relationships).flatMap(([code, { columns, isDoubtful }]) =>
    columns.map((column) => ({ from: `column ${column}`, to: `relationship ${code}`, isDoubtful })),
  );
  return [...fills, ...leads];
}

/** The key `u` leads to the next place that nothing fills; within a field it is a letter. */
function toNextUnmapped({ key, target, currentTarget }: KeyboardEvent<HTMLElement>): void {
  if (key !== 'u' || (target as HTMLElement).matches('input, select, textarea')) return;
  currentTarget.querySelector<HTMLElement>('[data-unmapped="true"] select')?.focus();
}
