import { Anchor, Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Output } from '@weir/kernel/contract';
import { changeMaintenance, getTableHealth, maintainTable, type TableHealthView } from '@weir/plugin-datasets/contract';
import { CheckCircle2, Clock, type LucideIcon, XCircle } from 'lucide-react';
import { useChange, useRead } from '../api/queries.ts';
import { FactList } from '../parts/fact-list.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { bytesText, counted, countText } from '../parts/numbers.ts';
import { Region } from '../parts/region.tsx';
import { ShowTime } from '../parts/show-time.tsx';
import { type Tone, ToneWord } from '../parts/status-word.tsx';
import { WideBox } from '../parts/wide-box.tsx';
import { useMay } from '../session/person.ts';

type Status = TableHealthView['status'];
type Due = TableHealthView['due'][number];

const STATUS: Readonly<Record<Status, [LucideIcon, Tone, string]>> = {
  healthy: [CheckCircle2, 'good', 'Healthy'],
  due: [Clock, 'busy', 'Due for maintenance'],
  blocked: [XCircle, 'bad', 'Blocked'],
};
const ACTIONS: Readonly<Record<Due['action'], string>> = {
  compact: 'Rewrite small files',
  manifests: 'Join manifests',
  expire: 'Drop old snapshots',
  orphans: 'Remove orphaned files',
};
const REASONS: Readonly<Record<Due['reason'], string>> = {
  small_files: 'small files',
  deleted_rows: 'deleted rows',
  manifests: 'manifests',
  snapshots: 'snapshots',
};
const LIVE_MS = 5_000;

/** How a table is kept healthy: its files, what is due and why, what holds it, and the proof of each rewrite. */
export function HealthTab({ datasetId }: { datasetId: string }) {
  const again = (health: TableHealthView | undefined) => (health?.status === 'due' ? LIVE_MS : false);
  const query = useRead(getTableHealth, { params: { dataset_id: datasetId } }, { again });
  return (
    <Region query={query}>
      {(health) => (
        <Stack gap="lg">
          <Head health={health} />
          <FactList facts={factsOf(health)} />
          <Duties health={health} />
          <Holds holds={health.holds} />
          <Receipts receipts={health.receipts} />
        </Stack>
      )}
    </Region>
  );
}

const factsOf = ({ files, average_file_bytes: mean, small_files: small, ...health }: TableHealthView) =>
  [
    ['Files', `${countText(files)}, ${bytesText(mean)} each`],
    ['Small files', countText(small)],
    ['Deleted rows', `${countText(health.deleted_rows)} in ${counted(health.delete_files, 'file')}`],
    ['Snapshots', countText(health.snapshots)],
    ['Metadata', bytesText(health.metadata_bytes)],
    ['Looked at next', health.next_at === null ? 'paused' : <ShowTime key="next" at={health.next_at} />],
  ] as const;

/** The state in a word, and what a person may do about it. */
function Head({ health }: { health: TableHealthView }) {
  const params = { dataset_id: health.dataset_id };
  const mayMaintain = useMay(maintainTable);
  const start = useChange(maintainTable);
  const change = useChange(changeMaintenance);
  const [icon, tone, word] = STATUS[health.status];
  const { paused, etag } = health.maintenance;
  const pause = () => change.mutate({ params, body: { paused: !paused }, headers: { 'if-match': etag } });
  const fault = start.error ?? change.error;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Group gap="md">
          <ToneWord icon={icon} tone={tone} word={paused ? `${word}, maintenance is paused` : word} />
          {health.last_run === null ? null : (
            <Text size="sm" c="dimmed">
              Last maintained{' '}
              <Anchor
                underline="always"
                renderRoot={(props) => (
                  <Link to="/runs/$runId" params={{ runId: health.last_run?.run_id ?? '' }} {...props} />
                )}
              >
                <ShowTime at={health.last_run.made_at} within />
              </Anchor>
            </Text>
          )}
        </Group>
        {mayMaintain ? (
          <Group gap="xs">
            <Button variant="default" loading={change.isPending} onClick={pause}>
              {paused ? 'Resume maintenance' : 'Pause maintenance'}
            </Button>
            <Button loading={start.isPending} onClick={() => start.mutate({ params, body: {} })}>
              Maintain now
            </Button>
          </Group>
        ) : null}
      </Group>
      {health.blocked === null ? null : <Text>{health.blocked.detail}</Text>}
      {fault === null ? null : <FaultNote error={fault} />}
      {start.data === undefined || start.error !== null ? null : <Started answer={start.data} />}
    </Stack>
  );
}

function Started({ answer: { run_id, would } }: { answer: Output<typeof maintainTable> }) {
  const what = would.map(({ action }) => ACTIONS[action].toLowerCase()).join(', ');
  return (
    <Text role="status">
      Started{what === '' ? '; as it looks there is nothing to do.' : `: ${what}.`}{' '}
      {run_id === null ? null : (
        <Anchor
          underline="always"
          renderRoot={(props) => <Link to="/runs/$runId" params={{ runId: run_id }} {...props} />}
        >
          Its run
        </Anchor>
      )}
    </Text>
  );
}

/** What maintenance will do, each with the figure that asks for it. */
function Duties({ health: { due, waiting } }: { health: TableHealthView }) {
  return (
    <section>
      <Title order={2} mb="xs">
        What is due
      </Title>
      {due.length + waiting.length === 0 ? <Text c="dimmed">Nothing.</Text> : null}
      <Stack gap={4}>
        {due.map(({ action, reason, value, bound, bytes }) => (
          <Text key={`${action} ${reason}`}>
            {ACTIONS[action]}: {countText(Math.round(value))} {REASONS[reason]}, the bound is {countText(bound)}
            {bytes === 0 ? '' : `; ${bytesText(bytes)} to read`}
          </Text>
        ))}
        {waiting.map(({ why, files, bytes, until }) => (
          <Text key={`${why} ${until}`} c="dimmed">
            {counted(files, 'file')} of {bytesText(bytes)} wait
            {why === 'calm' ? ' as their partition was just written' : ' as other commits were faster three times'},
            until <ShowTime at={until} how="clock" />
          </Text>
        ))}
      </Stack>
    </section>
  );
}

function Holds({ holds }: { holds: TableHealthView['holds'] }) {
  if (holds.length === 0) return null;
  return (
    <section>
      <Title order={2} mb="xs">
        Who keeps old snapshots
      </Title>
      <Stack gap={4}>
        {holds.map(({ by, snapshot_id, until }) => (
          <Text key={`${by} ${snapshot_id}`}>
            <span className="mono-id">{by}</span> keeps <span className="mono-id">{snapshot_id}</span>{' '}
            {until === null ? 'until its run ends' : <ShowTime at={until} how="clock" />}
          </Text>
        ))}
      </Stack>
    </section>
  );
}

/** The proof of each rewrite: what was read and written, and that the rows are the same. */
function Receipts({ receipts }: { receipts: TableHealthView['receipts'] }) {
  return (
    <section>
      <Title order={2} mb="xs">
        Receipts of rewrites
      </Title>
      {receipts.length === 0 ? <Text c="dimmed">No file of this table was rewritten yet.</Text> : null}
      {receipts.length === 0 ? null : (
        <WideBox label="Receipts of rewrites">
          <Table className="panel">
            <Table.Thead>
              <Table.Tr>
                {['When', 'Files', 'Size', 'Rows', 'Checksum', 'Result'].map((name) => (
                  <Table.Th key={name}>{name}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {receipts.map((one) => (
                <Table.Tr key={`${one.run_id} ${one.made_at} ${one.snapshot_id}`}>
                  <Table.Td>
                    <ShowTime at={one.made_at} />
                  </Table.Td>
                  <Table.Td>
                    {countText(one.files_before)} → {countText(one.files_after)}
                  </Table.Td>
                  <Table.Td>
                    {bytesText(one.bytes_before)} → {bytesText(one.bytes_after)}
                  </Table.Td>
                  <Table.Td>
                    {countText(one.rows_before)} → {countText(one.rows_after)}
                  </Table.Td>
                  <Table.Td className="mono-id" title={one.checksum_before}>
                    {one.checksum_before === one.checksum_after ? one.checksum_after.slice(-12) : 'differs'}
                  </Table.Td>
                  <Table.Td>{one.outcome === 'committed' ? 'Committed' : 'Another commit was faster'}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </WideBox>
      )}
    </section>
  );
}
