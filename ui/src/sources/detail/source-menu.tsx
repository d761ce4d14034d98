import { Button, Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { deleteSource, type SourceView, sourceSchedules, startDiscovery } from '@weir/plugin-sources/contract';
import { MoreHorizontal } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { FaultNote } from '../../parts/fault-note.tsx';
import { useScheduleActions } from '../../schedule/use-schedule-actions.ts';
import { useMay } from '../../session/person.ts';

/** Each read once it is asked for. */
const RenameDialog = lazy(() => import('./rename-dialog.tsx').then((module) => ({ default: module.RenameDialog })));
const DeleteDialog = lazy(() => import('./delete-dialog.tsx').then((module) => ({ default: module.DeleteDialog })));
const ResetSource = lazy(() =>
  import('../stream/reset-stream.tsx').then((module) => ({ default: module.ResetSource })),
);

type Asked = 'rename' | 'reset' | 'delete';

/** What is done to a source seldom. */
export function SourceMenu({ source }: { source: SourceView }) {
  const mayChange = useMay(deleteSource);
  const mayRun = useMay(startDiscovery);
  const navigate = useNavigate({ from: '/sources/$sourceId' });
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const schedule = useScheduleActions(sourceSchedules, { source_id: source.source_id }, undefined);
  if (!mayChange) return null;
  const show = (tab: string, more = {}) => void navigate({ search: { tab, ...more } });
  const quietly = (work: Promise<unknown>) => void work.catch(() => undefined);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" px="xs" aria-label="More actions">
            <MoreHorizontal size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setAsked('rename')}>Rename…</Menu.Item>
          <Menu.Item onClick={() => show('configuration', { show: 'edit' })}>Edit the configuration</Menu.Item>
          {mayRun ? <Menu.Item onClick={() => show('streams')}>Discover again</Menu.Item> : null}
          <ScheduleItem
            source={source}
            show={show}
            pause={() => quietly(schedule.pause(''))}
            resume={() => quietly(schedule.resume())}
          />
          {source.last_run === null ? null : (
            <Menu.Item onClick={() => show('history', { run: source.last_run?.run_id, show: 'receipt' })}>
              Verify the last sync
            </Menu.Item>
          )}
          <Menu.Divider />
          {source.streams === 0 ? null : <Menu.Item onClick={() => setAsked('reset')}>Reset all streams…</Menu.Item>}
          <Menu.Item color="red" c="var(--mantine-color-error)" onClick={() => setAsked('delete')}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {schedule.error === null ? null : <FaultNote error={schedule.error} />}
      <Suspense fallback={null}>
        {asked === 'rename' ? <RenameDialog source={source} close={close} /> : null}
        {asked === 'reset' ? <ResetSource source={source} close={close} /> : null}
        {asked === 'delete' ? <DeleteDialog source={source} close={close} /> : null}
      </Suspense>
    </>
  );
}

interface ScheduleItemProps {
  source: SourceView;
  show(tab: string): void;
  pause(): void;
  resume(): void;
}

/** Sets, pauses or resumes the schedule, whichever is next. */
function ScheduleItem({ source: { schedule }, show, pause, resume }: ScheduleItemProps) {
  if (schedule === null) return <Menu.Item onClick={() => show('schedule')}>Set a schedule</Menu.Item>;
  if (schedule.paused) return <Menu.Item onClick={resume}>Resume the schedule</Menu.Item>;
  return <Menu.Item onClick={pause}>Pause the schedule</Menu.Item>;
}
