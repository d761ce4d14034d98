import { OWN_ROUTES } from '../deployed-examples.ts';
import { limits } from './limits.ts';
import { metrics, phases } from './metrics.ts';
import { ontologyRoutes } from './ontology-routes.ts';
import { innerVariables, ourRoutes, ourVariables } from './ours.ts';
import { platformRoutes } from './platform-routes.ts';
import { promises } from './promises.ts';
import type { Owner } from './rows.ts';
import { sourceRoutes } from './source-routes.ts';
import { transformRoutes } from './transform-routes.ts';
import { variables } from './variables.ts';

export const routeAreas = [...platformRoutes, ...sourceRoutes, ...transformRoutes, ...ontologyRoutes];

/** What a checkout and its booted platform really have. */
export interface Found {
  /** Routes as the specification writes them, with the plugin that registered each. */
  routes: readonly { route: string; plugin: string }[];
  /** Those of the routes that answer only that their feature is missing. */
  unconfigured: ReadonlySet<string>;
  /** The commands of the CLI as their words, such as `sources get`. */
  commands: ReadonlySet<string>;
  /** Variables that are read, with the folders of the packages that read them. */
  variables: ReadonlyMap<string, ReadonlySet<string>>;
  /** All sources in one text. */
  text: string;
}

/** One row of the specification and whether it is there. */
export interface Row {
  kind: 'route' | 'variable' | 'metric' | 'phase' | 'limit' | 'promise';
  /** Area of the specification for routes, the kind for the others. */
  area: string;
  name: string;
  owner: Owner;
  implemented: boolean;
}

export interface Comparison {
  rows: readonly Row[];
  /** What is there and neither in the specification nor declared as ours. */
  unplanned: readonly string[];
  /** Rows that another plugin or package brings than the table says, and declarations of ours that nothing is behind. */
  misplaced: readonly string[];
}

/** Path parameters by place: `/a/{x}` and `/a/{y}` are one route to a client. */
const shape = (route: string): string => route.replace(/\{\w+\}/g, '{}');

/** Compares what was found with the tables. Pure. */
export function compareWithSpecification(found: Found): Comparison {
  const byShape = new Map(found.routes.map((entry) => [shape(entry.route), entry]));
  const misplaced: string[] = [];
  const rows: Row[] = routeAreas.flatMap(({ area, owner, routes }) =>
    routes.map((name) => {
      const entry = byShape.get(shape(name));
      if (entry !== undefined && entry.plugin !== owner)
        misplaced.push(`${name}: of ${owner}, brought by ${entry.plugin}`);
      if (entry !== undefined && entry.route !== name) misplaced.push(`${name}: registered as ${entry.route}`);
      return { kind: 'route', area, name, owner, implemented: entry !== undefined && !found.unconfigured.has(name) };
    }),
  );
  for (const { name, owner, package: folder } of variables) {
    const readers = found.variables.get(name) ?? found.variables.get(name.replace(/_FILE$/, ''));
    if (readers !== undefined && !readers.has(folder)) misplaced.push(`${name}: of ${folder}, read by ${[...readers]}`);
    rows.push({ kind: 'variable', area: 'variables', name, owner, implemented: readers !== undefined });
  }
  for (const { name, owner } of metrics)
    rows.push({ kind: 'metric', area: 'metrics', name, owner, implemented: found.text.includes(name) });
  for (const name of phases)
    rows.push({ kind: 'phase', area: 'phases', name, owner: 'orchestrator', implemented: found.text.includes(name) });
  for (const { name, owner, proof } of limits)
    rows.push({ kind: 'limit', area: 'limits', name, owner, implemented: proof !== undefined });
  for (const { area, name, owner, proof, command } of promises) {
    const implemented = command === undefined ? proof !== undefined : found.commands.has(command);
    rows.push({ kind: 'promise', area, name, owner, implemented });
  }
  const ours = [...ourRoutes.keys(), ...OWN_ROUTES, ...ourVariables.keys(), ...innerVariables.keys()];
  const known = new Set([...rows.map(({ name }) => name), ...ours].map(shape));
  const there = [...byShape.keys(), ...found.variables.keys()];
  const unplanned = [
    ...found.routes.filter(({ route }) => !known.has(shape(route))).map(({ route, plugin }) => `${route} (${plugin})`),
    ...[...found.variables].filter(([name]) => !known.has(name)).map(([name, readers]) => `${name} (${[...readers]})`),
  ];
  for (const name of ours) if (!there.includes(shape(name))) misplaced.push(`${name}: declared as ours, but not there`);
  return { rows, unplanned, misplaced };
}
