import { useNavigate, useSearch } from '@tanstack/react-router';
import { listDatasetSnapshots } from '@weir/plugin-datasets/contract';
import { useRead } from '../../api/queries.ts';
import { useLetter } from '../../keys/keys.ts';

const MAX_LOOKED_AT = 500;

/** `[` and `]` show the table one snapshot older or newer; `d` compares the one that is shown with the one before it. */
export function useSnapshotKeys(datasetId: string): void {
  const { snapshot } = useSearch({ from: '/datasets/$datasetId' });
  const navigate = useNavigate({ from: '/datasets/$datasetId' });
  const list = useRead(listDatasetSnapshots, { params: { dataset_id: datasetId }, query: { limit: MAX_LOOKED_AT } });
  const ids = list.data?.items.map(({ snapshot_id_exact: id }) => id) ?? [];
  const at = snapshot === undefined ? 0 : ids.indexOf(snapshot);
  const show = (to: number) => {
    const id = ids[to];
    if (at < 0 || id === undefined) return;
    void navigate({ search: (before) => ({ ...before, snapshot: to === 0 ? '' : id }) });
  };
  useLetter('[', () => show(at + 1));
  useLetter(']', () => show(at - 1));
  useLetter('d', () => {
    const pair = ids.slice(at, at + 2);
    if (at >= 0 && pair.length === 2) void navigate({ search: { tab: 'snapshots', compare: pair.join(',') } });
  });
}
