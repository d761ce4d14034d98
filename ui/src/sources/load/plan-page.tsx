import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { listSources, type UploadView } from '@weir/plugin-sources/contract';
import { type FormEvent, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { counted } from '../../parts/numbers.ts';
import { DiscoveryFailure, DiscoveryProgress } from '../create/discovery-result.tsx';
import { NAME, NAME_RULE } from '../create/source-name.ts';
import { FilesList } from './files-list.tsx';
import { StreamLook } from './look/stream-look.tsx';
import { accountOfFiles } from './plan/load-account.ts';
import {
  corrected,
  type LoadPlan,
  looksByName,
  type PlannedStream,
  proposedName,
  type Tables,
  type UnsentFile,
  withReadAs,
} from './plan/load-plan.ts';
import { type Look, useLook } from './use-look.ts';
import type { StartLoad } from './use-start-load.ts';

/** More tables than these are loaded as well, and looked at in their tables. */
const MAX_SHOWN = 50;

/** What the address of the page says of a load that has not begun. */
export interface Planned {
  looked: string | undefined;
  tables: Tables;
  streams: readonly PlannedStream[] | undefined;
  unsent: readonly UnsentFile[];
}

interface PlanPageProps extends Planned {
  upload: UploadView;
  onPlan(change: Partial<Planned>): void;
  load: Pick<StartLoad, 'make'>;
  /** The last correction did not fit into the address. */
  isTooLong: boolean;
  again(): void;
}

/** What files will become, before anything is loaded: it can be corrected until it is right. */
export function PlanPage(props: PlanPageProps) {
  const { upload, looked: id, tables, streams, unsent, onPlan, again } = props;
  const names = upload.files.map(({ name }) => name);
  const plan: LoadPlan = { location: upload.location, name: proposedName(upload.files), tables, streams };
  const look = useLook(plan, id, (looked) => onPlan({ looked }));
  const status = look.looked?.status;
  const found = {
    names: [...(status?.streams ?? []), ...(status?.warnings ?? [])].map(({ name }) => name),
    files: names,
  };
  const loadable = { tables, streams, names: (status?.streams ?? []).map(({ name }) => name) };
  const files = accountOfFiles(
    { files: names, unsent },
    { ...loadable, warnings: status?.warnings ?? [], failure: status?.failure },
  );
  const correct = (next: readonly PlannedStream[]) => onPlan({ streams: next, looked: undefined });
  return (
    <Stack>
      {status === undefined ? null : (
        <FilesList
          files={files}
          bytes={new Map(upload.files.map(({ name, bytes }) => [name, bytes]))}
          onReadAs={(file, format) => correct(withReadAs({ tables, streams }, found, { file, format }))}
        />
      )}
      <LookState look={look} />
      {props.isTooLong ? (
        <Text role="alert" p="md" className="panel">
          So many tables cannot be corrected together. Choose fewer files, or load these and correct the others by
          themselves.
        </Text>
      ) : null}
      {(status?.streams ?? []).slice(0, MAX_SHOWN).map((stream) => (
        <StreamLook
          key={stream.name}
          stream={stream}
          look={looksByName(look.looked?.looks ?? []).get(stream.name)}
          writing={streams?.find(({ name }) => name === stream.name) ?? {}}
          isBusy={!look.isCurrent}
          onCorrect={({ ...change }) => correct(corrected({ tables, streams }, found, [stream.name, change]))}
        />
      ))}
      {loadable.names.length > MAX_SHOWN ? (
        <Text size="sm">{counted(loadable.names.length - MAX_SHOWN, 'more table')} will be made too.</Text>
      ) : null}
      {status === undefined ? null : (
        <LoadForm
          {...props}
          plan={plan}
          look={look}
          count={files.filter((file) => file.status === 'planned').length}
          hasSeveral={names.length > 1}
          onTables={(next) => onPlan({ tables: next, streams: undefined, looked: undefined })}
        />
      )}
      <Group>
        <Button variant="default" onClick={again}>
          Choose other files
        </Button>
      </Group>
    </Stack>
  );
}

function LookState({ look: { running, isCurrent, looked, error, retry } }: { look: Look }) {
  if (error !== null) return <FaultNote error={error} retry={retry} />;
  const failure = isCurrent ? looked?.status.failure : null;
  if (failure !== null && failure !== undefined) {
    return <DiscoveryFailure failure={failure} title="The files could not be read" />;
  }
  if (isCurrent) return null;
  if (running !== undefined) return <DiscoveryProgress status={running} />;
  return (
    <Text role="status" p="md" className="panel">
      Looking at the files
    </Text>
  );
}

interface LoadFormProps extends PlanPageProps {
  plan: LoadPlan;
  look: Look;
  count: number;
  hasSeveral: boolean;
  onTables(tables: Tables): void;
}

/** The name of the source, whether files become one table, and the load itself. */
function LoadForm({ plan, look, count, hasSeveral, onTables, load: { make } }: LoadFormProps) {
  const [name, setName] = useState(plan.name);
  const known = useRead(listSources, { query: { name } }, { enabled: NAME.test(name), keep: true });
  const isTaken = (known.data?.items ?? []).some((source) => source.name === name);
  const fault = NAME.test(name)
    ? isTaken && !make.isSuccess
      ? 'A source has this name already'
      : undefined
    : NAME_RULE;
  const status = look.looked?.status;
  const isReady = look.isCurrent && count > 0 && fault === undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || status === undefined) return;
    make.mutate({ plan: { ...plan, name }, discovery: status.workflow_id, found: status.streams ?? [] });
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack maw={640}>
        {hasSeveral ? (
          <Radio.Group label="Tables" value={plan.tables} onChange={(value) => onTables(value as Tables)}>
            <Stack gap="xs" mt={4}>
              <Radio value="each" label="A table of each file" />
              <Radio value="one" label="One table of all files, which have the same columns" />
            </Stack>
          </Radio.Group>
        ) : null}
        <TextInput
          label="Name of the source"
          description="Its tables are called after it"
          withAsterisk
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={fault}
        />
        {make.error === null ? null : <FaultNote error={make.error} />}
        <Group>
          <Button type="submit" disabled={!isReady} loading={make.isPending}>
            Load {counted(count, 'file')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
