import { Button, Group, SimpleGrid, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { createEntityType } from '@weir/plugin-ontology/contract';
import { useState } from 'react';
import { given } from '../../api/given.ts';
import { useChange } from '../../api/queries.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useMay } from '../../session/person.ts';
import { WithOntology } from '../with-ontology.tsx';
import { bodyOf, DocumentForm, type Edited, placeOf } from './document-form.tsx';
import { CODE, CODE_RULE, draftOf, proposedCode, type TypeBody } from './draft.ts';

const TITLE = 'New entity type';
const NONE: ReadonlySet<string> = new Set();
const FIRST: Edited = {
  draft: draftOf({ properties: [{ code: 'id', value_type: 'string', required: true }], primary_key: ['id'] }),
  text: undefined,
};

/** Makes an entity type, by a form or by a document. */
export function CreatePage() {
  if (!useMay(createEntityType)) return <NotAllowed title={TITLE} things="entity types" />;
  return (
    <WithOntology title={TITLE}>
      <PageHead title={TITLE} />
      <CreateForm />
    </WithOntology>
  );
}

/** `code` is absent until it was typed: until then the name proposes one. */
interface Labels {
  name: string;
  code: string | undefined;
  description: string;
  isActive: boolean;
}

const readLabels = ({ name, code, description, status }: Partial<TypeBody>): Labels => ({
  name: String(name ?? code ?? ''),
  code: code === undefined ? undefined : String(code),
  description: String(description ?? ''),
  isActive: status === 'active',
});

function CreateForm() {
  const navigate = useNavigate();
  const [labels, setLabels] = useState<Labels>({ name: '', code: undefined, description: '', isActive: true });
  const [edited, setEdited] = useState(FIRST);
  const [fault, setFault] = useState<string>();
  const create = useChange(createEntityType);
  const code = labels.code ?? proposedCode(labels.name);
  const head = given({
    code,
    name: labels.name.trim(),
    description: labels.description.trim(),
    status: labels.isActive ? 'active' : 'draft',
  });
  const send = () => {
    const read = bodyOf(edited, code);
    setFault('fault' in read ? read.fault : undefined);
    if ('fault' in read) return;
    const body = (edited.text === undefined ? { ...head, ...read.body } : read.body) as TypeBody;
    create.mutate(
      { body },
      { onSuccess: (made) => void navigate({ to: '/ontology/types/$code', params: { code: made.code } }) },
    );
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Stack gap="md" maw={1100}>
        {edited.text === undefined ? (
          <LabelFields labels={labels} code={code} change={(part) => setLabels((before) => ({ ...before, ...part }))} />
        ) : null}
        <DocumentForm
          edited={edited}
          setEdited={setEdited}
          own={code}
          before={NONE}
          beside={head}
          onLabels={(found) => setLabels(readLabels(found))}
        />
        {fault === undefined ? null : <FaultNote error={new Error(fault)} />}
        {create.error === null ? null : <FaultNote error={create.error} placeOf={placeOf(create.variables?.body)} />}
        <Group gap="sm">
          <Button type="submit" loading={create.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface LabelFieldsProps {
  labels: Labels;
  code: string;
  change(part: Partial<Labels>): void;
}

function LabelFields({ labels, code, change }: LabelFieldsProps) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Name"
          description="What people call such a thing"
          placeholder="Customer"
          maxLength={200}
          value={labels.name}
          onChange={({ currentTarget: { value } }) => change({ name: value })}
        />
        <TextInput
          label="Code"
          description="What programs call it; it never changes"
          required
          spellCheck={false}
          error={code === '' || CODE.test(code) ? undefined : CODE_RULE}
          value={code}
          onChange={({ currentTarget: { value } }) => change({ code: value.trim() })}
        />
      </SimpleGrid>
      <Textarea
        label="Description"
        autosize
        maxRows={6}
        maxLength={2_000}
        value={labels.description}
        onChange={({ currentTarget: { value } }) => change({ description: value })}
      />
      <Switch
        label="Active at once; otherwise it begins as a draft"
        checked={labels.isActive}
        onChange={({ currentTarget: { checked } }) => change({ isActive: checked })}
      />
    </>
  );
}
