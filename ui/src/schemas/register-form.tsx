import { Button, Group, NativeSelect, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { registerSchema, type SubjectView } from '@weir/plugin-schema-registry/contract';
import { useState } from 'react';
import { parse } from 'yaml';
import { given } from '../api/given.ts';
import { useChange } from '../api/queries.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { Verdict } from './verdict.tsx';

type Compatibility = SubjectView['compatibility'];
type Policy = SubjectView['policy'];

/** What the form holds. */
export interface Draft {
  subject: string;
  text: string;
  compatibility: Compatibility;
  policy: Policy;
}

const MODES: readonly { value: Compatibility; label: string }[] = [
  { value: 'BACKWARD', label: 'BACKWARD: new readers read old documents' },
  { value: 'FORWARD', label: 'FORWARD: old readers read new documents' },
  { value: 'FULL', label: 'FULL: both' },
  { value: 'BACKWARD_TRANSITIVE', label: 'BACKWARD_TRANSITIVE: of all versions in force' },
  { value: 'FORWARD_TRANSITIVE', label: 'FORWARD_TRANSITIVE: of all versions in force' },
  { value: 'FULL_TRANSITIVE', label: 'FULL_TRANSITIVE: both, of all versions in force' },
  { value: 'NONE', label: 'NONE: nothing is compared' },
];
const POLICIES: readonly { value: Policy; label: string }[] = [
  { value: 'optional_friendly', label: 'Optional members may come and go' },
  { value: 'strict', label: 'Strict: an undeclared member may have held anything' },
];
/** What it begins with when nothing is known. */
export const FIRST: Draft = {
  subject: '',
  text: 'type: object\nproperties:\n  id: { type: string }\nrequired: [id]\n',
  compatibility: 'BACKWARD',
  policy: 'optional_friendly',
};
/** Id of the words that say why nothing can be registered yet. */
const NOTE = 'register-note';
const MIN_ROWS = 12;
const MAX_ROWS = 30;

/** The schema of a text of YAML or JSON, or what is wrong with the text. */
function schemaOf(text: string): { schema: Record<string, unknown> | boolean } | { fault: string } {
  try {
    const found: unknown = parse(text);
    if (typeof found === 'boolean') return { schema: found };
    if (typeof found === 'object' && found !== null && !Array.isArray(found))
      return { schema: found as Record<string, unknown> };
    return { fault: 'A schema is an object, or true or false.' };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

interface RegisterFormProps {
  draft: Draft;
  /** The newest version of the subject, when there is one. */
  known?: number;
}

/** A schema to be registered; what it breaks comes before it is stored. */
export function RegisterForm({ draft: first, known }: RegisterFormProps) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState(first);
  const [judged, setJudged] = useState<string>();
  const [fault, setFault] = useState<string>();
  const judge = useChange(registerSchema);
  const register = useChange(registerSchema);
  const change = (part: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...part }));
    setFault(undefined);
    register.reset();
  };
  const isJudged = judged === JSON.stringify(draft) && judge.data !== undefined;
  const isFine = isJudged && (judge.data.verdict.outcome === 'compatible' || draft.compatibility === 'NONE');
  const send = (isDryRun: boolean) => {
    const read = schemaOf(draft.text);
    if ('fault' in read) return setFault(read.fault);
    const { subject, compatibility, policy } = draft;
    const name = subject.trim();
    const body = Object.assign(
      { subject: name, schema: read.schema },
      given({ compatibility, policy, base_version: known }),
    );
    if (isDryRun) {
      setJudged(JSON.stringify(draft));
      return judge.mutate({ body: Object.assign({ dry_run: true }, body) });
    }
    return register.mutate(
      { body },
      { onSuccess: () => void navigate({ to: '/schemas/subjects/$subject', params: { subject: name } }) },
    );
  };
  const error = judge.error ?? register.error;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send(!isFine);
      }}
    >
      <Stack gap="md" maw={960}>
        <Fields draft={draft} change={change} isNew={known === undefined} fault={fault} />
        <Group gap="sm">
          <Button
            type={isFine ? 'button' : 'submit'}
            variant={isFine ? 'default' : 'filled'}
            loading={judge.isPending}
            onClick={() => isFine && send(true)}
          >
            See what it breaks
          </Button>
          <Button
            type={isFine ? 'submit' : 'button'}
            disabled={!isFine}
            aria-describedby={NOTE}
            loading={register.isPending}
          >
            Register
          </Button>
          <Text size="sm" c="dimmed" id={NOTE}>
            {isFine
              ? `It becomes version ${judge.data?.version}, unless the subject has it already.`
              : noteOf(isJudged)}
          </Text>
        </Group>
        {error === null ? null : <FaultNote error={error} />}
        {isJudged ? <Verdict verdict={judge.data.verdict} changes={judge.data.changes} /> : null}
      </Stack>
    </form>
  );
}

const noteOf = (isJudged: boolean) =>
  isJudged
    ? 'It is not stored as it is: change the schema at the places below, or choose another rule for new versions.'
    : 'Nothing is stored before you have seen what it breaks.';

interface FieldsProps {
  draft: Draft;
  change(part: Partial<Draft>): void;
  isNew: boolean;
  fault: string | undefined;
}

function Fields({ draft, change, isNew, fault }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Subject"
        description="A letter, then letters, digits, “.”, “_” and “-”, such as shop.order"
        required
        maxLength={128}
        pattern="[A-Za-z][A-Za-z0-9._\-]*"
        readOnly={!isNew}
        value={draft.subject}
        onChange={({ currentTarget: { value } }) => change({ subject: value })}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label="A new version must be"
          data={[...MODES]}
          value={draft.compatibility}
          onChange={({ currentTarget: { value } }) => change({ compatibility: value as Compatibility })}
        />
        <NativeSelect
          label="Optional members"
          data={[...POLICIES]}
          value={draft.policy}
          onChange={({ currentTarget: { value } }) => change({ policy: value as Policy })}
        />
      </SimpleGrid>
      <Textarea
        label="Schema"
        description="JSON Schema as YAML or JSON; $schema names the dialect, 2020-12 without it"
        required
        autosize
        minRows={MIN_ROWS}
        maxRows={MAX_ROWS}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        error={fault}
        value={draft.text}
        onChange={({ currentTarget: { value } }) => change({ text: value })}
      />
    </>
  );
}
