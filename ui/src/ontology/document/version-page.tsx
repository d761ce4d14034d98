import { Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import { createEntityTypeVersion, type EntityTypeView, getEntityType } from '@weir/plugin-ontology/contract';
import { useState } from 'react';
import { given } from '../../api/given.ts';
import { useChange, useRead } from '../../api/queries.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Region } from '../../parts/region.tsx';
import { useMay } from '../../session/person.ts';
import { Changes } from '../changes.tsx';
import { WithOntology } from '../with-ontology.tsx';
import { bodyOf, DocumentForm, type Edited, placeOf } from './document-form.tsx';
import { documentOf, draftOf, type TypeDocument } from './draft.ts';

/** Id of the words that say why nothing can be stored yet. */
const NOTE = 'version-note';

/** A new version of a type, which begins as the newest one. */
export function VersionPage() {
  const { code } = useParams({ from: '/ontology/types/$code/version' });
  const title = `New version of ${code}`;
  if (!useMay(createEntityTypeVersion)) return <NotAllowed title={title} things="entity types" />;
  return (
    <WithOntology title={title}>
      <PageHead title={title} />
      <Loaded key={code} code={code} />
    </WithOntology>
  );
}

function Loaded({ code }: { code: string }) {
  const query = useRead(getEntityType, { params: { code } });
  // What somebody stores meanwhile must not change the form under the hands; the server refuses an old base.
  const [base, setBase] = useState<EntityTypeView>();
  if (base === undefined && query.data !== undefined) setBase(query.data);
  return <Region query={query}>{(type) => <VersionForm type={base ?? type} />}</Region>;
}

type Judged = Output<typeof createEntityTypeVersion>;

/** Judges and stores what is edited; a verdict counts for what was sent for it, and for nothing that was typed since. */
function useVersion({ code, version: base }: EntityTypeView, edited: Edited) {
  const navigate = useNavigate();
  const [fault, setFault] = useState<string>();
  const [judged, setJudged] = useState<{ edited: Edited; verdict: Judged }>();
  const [isAllowed, setAllowed] = useState(false);
  const judge = useChange(createEntityTypeVersion);
  const store = useChange(createEntityTypeVersion);
  const verdict = judged?.edited === edited ? judged.verdict : undefined;
  const send = (isDryRun: boolean, note: string) => {
    const read = bodyOf(edited, code);
    setFault('fault' in read ? read.fault : undefined);
    if ('fault' in read) return;
    store.reset();
    const params = { code };
    const body = { document: versionIn(read.body), base_version: base };
    if (isDryRun) {
      setAllowed(false);
      const onSuccess = (found: Judged) => setJudged({ edited, verdict: found });
      return judge.mutate({ params, body: { ...body, dry_run: true } }, { onSuccess });
    }
    const more = given({ allow_breaking: isAllowed || undefined, note: note.trim() });
    const onSuccess = () => void navigate({ to: '/ontology/types/$code', params, search: { tab: 'versions' } });
    return store.mutate({ params, body: { ...body, ...more } }, { onSuccess });
  };
  return {
    fault,
    error: store.error ?? judge.error,
    sent: (store.error === null ? judge.variables : store.variables)?.body?.document,
    verdict,
    isAllowed,
    setAllowed,
    isReady: verdict !== undefined && (verdict.verdict === 'compatible' || isAllowed),
    isJudging: judge.isPending,
    isStoring: store.isPending,
    send,
  };
}

type Version = ReturnType<typeof useVersion>;

function VersionForm({ type }: { type: EntityTypeView }) {
  const [edited, setEdited] = useState<Edited>(() => ({ draft: draftOf(documentOf(type)), text: undefined }));
  const [before] = useState(() => new Set(type.properties.map((one) => one.code)));
  const [note, setNote] = useState('');
  const version = useVersion(type, edited);
  const { fault, error, sent, verdict, isReady, send } = version;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send(!isReady, note);
      }}
    >
      <Stack gap="md" maw={1100}>
        <DocumentForm edited={edited} setEdited={setEdited} own={type.code} before={before} />
        <TextInput
          label="Note"
          description="Why, for those who read the list of versions"
          maxLength={500}
          maw={560}
          value={note}
          onChange={({ currentTarget: { value } }) => setNote(value)}
        />
        {fault === undefined ? null : <FaultNote error={new Error(fault)} />}
        {error === null ? null : <FaultNote error={error} placeOf={placeOf(sent)} />}
        {verdict === undefined ? null : (
          <Changes verdict={verdict.verdict} changes={verdict.changes} between={`from version ${type.version}`} />
        )}
        {verdict?.verdict === 'breaking' ? (
          <Switch
            label="Store it although it breaks readers"
            checked={version.isAllowed}
            onChange={({ currentTarget: { checked } }) => version.setAllowed(checked)}
          />
        ) : null}
        <Buttons version={version} next={type.version + 1} judge={() => send(true, note)} />
      </Stack>
    </form>
  );
}

interface ButtonsProps {
  version: Version;
  /** The version that it becomes, as far as is known. */
  next: number;
  judge(): void;
}

function Buttons({ version: { verdict, isReady, isJudging, isStoring }, next, judge }: ButtonsProps) {
  return (
    <Group gap="sm">
      <Button
        type={isReady ? 'button' : 'submit'}
        variant={isReady ? 'default' : 'filled'}
        loading={isJudging}
        onClick={() => isReady && judge()}
      >
        See what it changes
      </Button>
      <Button type={isReady ? 'submit' : 'button'} disabled={!isReady} aria-describedby={NOTE} loading={isStoring}>
        {isReady && verdict?.changes.length === 0 ? 'Save the names' : `Store as version ${verdict?.version ?? next}`}
      </Button>
      <Text size="sm" c="dimmed" id={NOTE}>
        {noteOf(verdict, isReady)}
      </Text>
    </Group>
  );
}

/** Of a whole document what a version says. */
function versionIn({ properties, primary_key, title_property, relationships }: Record<string, unknown>): TypeDocument {
  return given({ properties, primary_key, title_property, relationships }) as TypeDocument;
}

function noteOf(verdict: Judged | undefined, isReady: boolean): string {
  if (verdict === undefined) return 'Nothing is stored before you have seen what it changes.';
  if (isReady) return verdict.changes.length === 0 ? 'No version is made of it.' : '';
  return 'It breaks readers: undo the changes that break, or allow it above.';
}
