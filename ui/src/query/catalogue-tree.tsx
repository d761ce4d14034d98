import { Text, TextInput } from '@mantine/core';
import { getDataset } from '@weir/plugin-datasets/contract';
import { ChevronDown, ChevronRight, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useRead } from '../api/queries.ts';
import { MAX_TABLES } from './use-catalogue.ts';

interface CatalogueTreeProps {
  tables: readonly { dataset_id: string; namespace: string; table: string }[];
  isPart: boolean;
  insert(text: string): void;
}

/** The tables of the tenant with their columns; a name is put into the statement by Enter or a click. */
export function CatalogueTree({ tables, isPart, insert }: CatalogueTreeProps) {
  const [word, setWord] = useState('');
  const groups = useMemo(() => {
    const found = tables.filter(({ dataset_id }) => dataset_id.toLowerCase().includes(word.toLowerCase()));
    return [...Map.groupBy(found, ({ namespace }) => namespace)];
  }, [tables, word]);
  return (
    <nav aria-label="Tables" className="panel sql-side">
      <TextInput
        aria-label="Find a table"
        placeholder="Find a table"
        size="xs"
        mb={6}
        value={word}
        onChange={(event) => setWord(event.currentTarget.value)}
      />
      {groups.map(([namespace, members]) => (
        <section key={namespace} aria-label={namespace}>
          <Text size="xs" c="dimmed" fw={560} pt={6} px={5}>
            {namespace}
          </Text>
          <ul className="tree-branch" style={{ paddingLeft: 0 }}>
            {members.map(({ dataset_id, table }) => (
              <TableBranch key={dataset_id} id={dataset_id} table={table} insert={insert} />
            ))}
          </ul>
        </section>
      ))}
      {groups.length === 0 ? (
        <Text size="sm" c="dimmed" p={6}>
          {tables.length === 0 ? 'No table yet.' : 'No table fits.'}
        </Text>
      ) : null}
      {isPart ? (
        <Text size="xs" c="dimmed" p={6}>
          The first {MAX_TABLES} tables.
        </Text>
      ) : null}
    </nav>
  );
}

function TableBranch({ id, table, insert }: { id: string; table: string; insert(text: string): void }) {
  const [isOpen, setOpen] = useState(false);
  const detail = useRead(getDataset, { params: { dataset_id: id } }, { enabled: isOpen });
  const Arrow = isOpen ? ChevronDown : ChevronRight;
  return (
    <li>
      <div style={{ display: 'flex' }}>
        <button type="button" className="tree-name" aria-expanded={isOpen} title={id} onClick={() => setOpen(!isOpen)}>
          <Arrow size={13} aria-hidden style={{ flexShrink: 0 }} />
          <span className="ellipsis">{table}</span>
        </button>
        <button
          type="button"
          className="tree-name"
          style={{ width: 'auto' }}
          aria-label={`Insert ${id}`}
          onClick={() => insert(id)}
        >
          <Plus size={13} aria-hidden />
        </button>
      </div>
      {isOpen ? (
        <ul className="tree-branch" aria-busy={detail.data === undefined}>
          {detail.data?.schema.columns.map((column) => (
            <li key={column.id}>
              <button type="button" className="tree-name" onClick={() => insert(quoted(column.name))}>
                <span className="ellipsis">{column.name}</span>
                <span className="tree-type ellipsis">{column.type}</span>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </li>
  );
}

const quoted = (name: string): string => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
