import { Button } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { createTransform, hydrateTransform } from '@weir/plugin-transforms/contract';
import { useRef, useState } from 'react';
import { useChange } from '../../api/queries.ts';
import type { EditorHandle } from '../../editor/editor-props.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { sqlOfHash } from '../../query/sql-hash.ts';
import { useMay, usePerson } from '../../session/person.ts';
import { outputFor } from '../../statement/output-name.ts';
import { type Definition, EMPTY_DEFINITION, newOf } from '../draft/definition.ts';
import { DefinitionForm } from './definition-form.tsx';
import { useDefinitionCheck } from './use-definition-check.ts';

/** The form of a new transform, for those who may create one. */
export function NewTransformPage() {
  const mayCreate = useMay(createTransform);
  return mayCreate ? <NewTransform /> : <NotAllowed title="New transform" things="transforms" />;
}

/** A new transform: created, then hydrated, so that it can run at once where its statement is sound. */
function NewTransform() {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const { tenant } = usePerson();
  const create = useChange(createTransform);
  const hydrate = useChange(hydrateTransform);
  const [value, setValue] = useState<Definition>(() => ({
    ...EMPTY_DEFINITION,
    sql: sqlOfHash(hash) ?? '',
    output: outputFor('', tenant),
  }));
  const editor = useRef<EditorHandle>(null);
  const check = useDefinitionCheck(value);
  const change = ({ name, ...rest }: Partial<Definition>) =>
    setValue((before) => {
      if (name === undefined) return { ...before, ...rest };
      const follows = before.output === outputFor(before.name, tenant);
      return { ...before, name, ...(follows ? { output: outputFor(name, tenant) } : {}) };
    });
  const save = () => {
    create.mutate(
      { body: newOf(value) },
      {
        onSuccess: ({ transform_id }) => {
          const open = () => void navigate({ to: '/transforms/$transformId', params: { transformId: transform_id } });
          // The page of the transform says what keeps it from running.
          hydrate.mutate({ params: { transform_id } }, { onSettled: open });
        },
      },
    );
  };
  return (
    <>
      <PageHead title="New transform" />
      {create.error === null ? null : <FaultNote error={create.error} />}
      <DefinitionForm
        value={value}
        change={change}
        error={create.error}
        save={save}
        check={check}
        editor={editor}
        actions={
          <Button
            loading={create.isPending || hydrate.isPending}
            disabled={value.name.trim() === '' || value.sql.trim() === ''}
            onClick={save}
          >
            Create transform
          </Button>
        }
      />
    </>
  );
}
