import { Button, Stack } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { createUpload, getUpload } from '@weir/plugin-sources/contract';
import { useMemo, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { FaultNote } from '../../parts/fault-note.tsx';
import { NotAllowed } from '../../parts/not-allowed.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Region } from '../../parts/region.tsx';
import { useMay } from '../../session/person.ts';
import { DropZone } from './drop-zone.tsx';
import { FilesList } from './files-list.tsx';
import { useHandedFiles } from './handed-files.ts';
import { LoadResult } from './load-result.tsx';
import { accountOfFiles } from './plan/load-account.ts';
import { fitsAddress, plannedStreams, sendable, type Tables, unsentFiles, unsentText } from './plan/load-plan.ts';
import { type Planned, PlanPage } from './plan-page.tsx';
import { Sending } from './sending.tsx';
import { useStartLoad } from './use-start-load.ts';

/** From files of this machine to rows of tables. The address says how far it is, so it stands after a reload and by a link. */
export function LoadPage() {
  const { upload } = useSearch({ from: '/sources/load' });
  const { files, hand } = useHandedFiles();
  const mayLoad = useMay(createUpload);
  if (!mayLoad) return <NotAllowed title="Load files" things="sources" />;
  return (
    <>
      <PageHead title="Load files">
        <Button variant="default" renderRoot={(props) => <Link to="/sources/new" {...props} />}>
          Read from somewhere else
        </Button>
      </PageHead>
      {files.length > 0 ? (
        <Chosen key={files.map(({ name }) => name).join('/')} files={files} />
      ) : upload === undefined ? (
        <DropZone onFiles={hand} />
      ) : (
        <Arrived uploadId={upload} />
      )}
    </>
  );
}

/** Files that a person has just chosen: all that can be are sent, which loads nothing. */
function Chosen({ files }: { files: readonly File[] }) {
  const { hand } = useHandedFiles();
  const navigate = useNavigate({ from: '/sources/load' });
  const { sent, unsent } = useMemo(() => sendable(files), [files]);
  const again = () => hand([]);
  if (sent.length === 0) {
    const account = accountOfFiles(
      { files: [], unsent },
      { tables: 'each', streams: undefined, names: [], warnings: [] },
    );
    return (
      <Stack>
        <FilesList files={account} bytes={new Map()} />
        <DropZone onFiles={hand} isSmall />
      </Stack>
    );
  }
  const onSent = (upload: string) =>
    void navigate({ search: { upload, unsent: unsentText(unsent) }, replace: true }).then(again);
  return <Sending files={sent} onSent={onSent} again={again} />;
}

/** Files that have arrived: what they will become, and then what became of them. */
function Arrived({ uploadId }: { uploadId: string }) {
  const search = useSearch({ from: '/sources/load' });
  const { hand } = useHandedFiles();
  const navigate = useNavigate({ from: '/sources/load' });
  const upload = useRead(getUpload, { params: { upload_id: uploadId } });
  const change = (more: Partial<Record<keyof typeof search, string | undefined>>) =>
    void navigate({ search: (before) => ({ ...before, ...more }), replace: true });
  const again = () => void navigate({ search: {} });
  const [isTooLong, setTooLong] = useState(false);
  const tables: Tables = search.tables ?? 'each';
  const unsent = unsentFiles(search.unsent);
  const streams = plannedStreams(search.streams);
  const load = useStartLoad({ onMade: (source) => change({ source }), onStarted: (run) => change({ run }) });
  const onPlan = ({ streams: next, ...more }: Partial<Planned>) => {
    const isRewritten = 'looked' in more && more.looked === undefined;
    setTooLong(next !== undefined && !fitsAddress(next));
    if (next !== undefined && !fitsAddress(next)) return;
    const isReset = next === undefined && more.tables !== undefined;
    const written = next === undefined ? (isReset ? { streams: '' } : {}) : { streams: JSON.stringify(next) };
    change({
      ...written,
      ...(more.tables === undefined ? {} : { tables: more.tables }),
      looked: isRewritten ? '' : (more.looked ?? search.looked),
    });
  };
  // An upload that no source names is kept for a day.
  if (upload.data === undefined && upload.error !== null) {
    return (
      <Stack>
        <FaultNote error={upload.error} retry={() => void upload.refetch()} />
        <DropZone onFiles={hand} isSmall />
      </Stack>
    );
  }
  return (
    <Region query={upload}>
      {(found) =>
        search.source === undefined ? (
          <PlanPage
            upload={found}
            looked={search.looked}
            tables={tables}
            streams={streams}
            unsent={unsent}
            onPlan={onPlan}
            load={load}
            isTooLong={isTooLong}
            again={again}
          />
        ) : (
          <LoadResult
            upload={found}
            sourceId={search.source}
            runId={search.run}
            looked={search.looked}
            tables={tables}
            unsent={unsent}
            load={load}
            streams={streams}
            again={again}
          />
        )
      }
    </Region>
  );
}
