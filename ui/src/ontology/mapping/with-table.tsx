import { useIsMutating } from '@tanstack/react-query';
import { getDatasetSchema } from '@weir/plugin-datasets/contract';
import {
  type EntityTypeView,
  getEntityType,
  type SuggestionsView,
  suggestMappings,
} from '@weir/plugin-ontology/contract';
import type { ReactNode } from 'react';
import { given } from '../../api/given.ts';
import { useRead } from '../../api/queries.ts';
import { Region } from '../../parts/region.tsx';
import type { Column } from './mapping.ts';

/** As many as the server answers. */
const MAX_ALTERNATIVES = 10;

/** What a mapping is made between, and what is suggested for it. */
export interface BoardGiven {
  type: EntityTypeView;
  suggestions: SuggestionsView;
  columns: readonly Column[];
}

interface WithTableProps {
  dataset: string;
  code: string;
  /** Of the type; the newest unless given. */
  version?: number;
  children(given: BoardGiven): ReactNode;
}

/** Reads the columns of a table, a type, and which of them likely belong together. */
export function WithTable({ dataset, code, version, children }: WithTableProps) {
  const schema = useRead(getDatasetSchema, { params: { dataset_id: dataset } });
  const type = useRead(getEntityType, { params: { code }, query: given({ version }) }, { keep: true });
  // What is saved would wait for another reading of it, which looks at rows.
  const suggestions = useRead(
    suggestMappings,
    { body: { dataset_id: dataset, entity_type_code: code, top_k: MAX_ALTERNATIVES, ...given({ version }) } },
    { keep: true, enabled: useIsMutating() === 0 },
  );
  return (
    <Region query={schema}>
      {({ fields }) => (
        <Region query={type}>
          {(found) => (
            <Region query={suggestions}>
              {(suggested) =>
                children({
                  type: found,
                  suggestions: suggested,
                  columns: fields
                    .filter(({ parent_id }) => parent_id === null)
                    .map(({ name, type: of }) => ({ name, type: of })),
                })
              }
            </Region>
          )}
        </Region>
      )}
    </Region>
  );
}
