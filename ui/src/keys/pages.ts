import {
  Activity,
  Boxes,
  Database,
  FileJson2,
  GitFork,
  History,
  House,
  SquareTerminal,
  Table2,
  Waypoints,
  Workflow,
} from 'lucide-react';

/** The pages that navigation, palette and keys lead to; `letter` follows a `g`, `plugin` is an opt-in one that it takes. */
export const PAGES = [
  { to: '/', label: 'Home', letter: 'h', icon: House },
  { to: '/sources', label: 'Sources', letter: 's', icon: Database },
  { to: '/datasets', label: 'Datasets', letter: 'd', icon: Table2 },
  { to: '/query', label: 'SQL', letter: 'q', icon: SquareTerminal },
  { to: '/transforms', label: 'Transforms', letter: 't', icon: Workflow },
  { to: '/pipelines', label: 'Pipelines', letter: 'p', icon: GitFork },
  { to: '/lineage', label: 'Lineage', letter: 'l', icon: Waypoints },
  { to: '/schemas', label: 'Schemas', letter: 'c', icon: FileJson2, plugin: 'schema-registry' },
  { to: '/ontology', label: 'Entity types', letter: 'e', icon: Boxes, plugin: 'ontology' },
  { to: '/runs', label: 'Runs', letter: 'w', icon: History },
  { to: '/operations', label: 'Operations', letter: 'o', icon: Activity },
] as const;
