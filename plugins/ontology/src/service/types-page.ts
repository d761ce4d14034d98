import { contribute } from '@weir/kernel';
import { contributionPoint } from '@weir/kernel/contract';

/** The entity types of the tenant in the web application. */
export const typesPage = contribute(contributionPoint<object>('ui.page'), {
  version: 'ui/v1',
  plugin: 'ontology',
  name: 'entity-types',
  title: 'Entity types',
  description: 'What the things of your business are: their properties, keys and relationships, with versions.',
  blocks: [
    {
      kind: 'list',
      title: 'Entity types',
      read: 'ontology.list_entity_types',
      empty: 'No entity type yet. Create one by a document, or by the command line.',
      columns: [
        { name: 'code', title: 'Code' },
        { name: 'name', title: 'Name' },
        { name: 'status', title: 'Status' },
        { name: 'version', title: 'Version', as: 'number' },
        { name: 'properties_count', title: 'Properties', as: 'number' },
        { name: 'updated_at', title: 'Changed', as: 'time' },
      ],
      actions: [
        {
          operation: 'ontology.retire_entity_type',
          label: 'Retire',
          confirm: 'Retire the entity type? Its versions and entities are kept.',
        },
      ],
    },
  ],
});
