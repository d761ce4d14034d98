import { contribute } from '@weir/kernel';
import { contributionPoint } from '@weir/kernel/contract';

/** Which tables fill which entity types, and what keeps them from it, in the web application. */
export const backingPage = contribute(contributionPoint<object>('ui.page'), {
  version: 'ui/v1',
  plugin: 'ontology',
  name: 'backing-datasets',
  title: 'Backing datasets',
  description: 'Which table fills which entity type, and whether the entities are those of the table.',
  blocks: [
    {
      kind: 'list',
      title: 'Backing datasets',
      read: 'ontology.list_backing_datasets',
      empty: 'No backing dataset yet. Create one by a document, or by the command line.',
      columns: [
        { name: 'name', title: 'Name' },
        { name: 'dataset_id', title: 'Table' },
        { name: 'entity_type_code', title: 'Entity type' },
        { name: 'state', title: 'State' },
        { name: 'last_run_id', title: 'Last run', as: 'id' },
        { name: 'updated_at', title: 'Changed', as: 'time' },
      ],
      actions: [
        { operation: 'ontology.sync_backing_dataset', label: 'Sync' },
        {
          operation: 'ontology.delete_backing_dataset',
          label: 'Delete',
          confirm: 'Delete the backing dataset? Its entities are kept.',
        },
      ],
    },
    {
      kind: 'list',
      title: 'Pending syncs',
      read: 'ontology.list_pending_syncs',
      empty: 'Every entity is as its table has it.',
      columns: [
        { name: 'name', title: 'Name' },
        { name: 'reason', title: 'Why' },
        { name: 'since', title: 'Since', as: 'time' },
        { name: 'snapshot_id_exact', title: 'Snapshot', as: 'id' },
        { name: 'applied_snapshot_id_exact', title: 'Applied', as: 'id' },
      ],
    },
  ],
});
