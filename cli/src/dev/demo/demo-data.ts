import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Api } from '../../connection/api.ts';
import type { Reporter } from '../parts/reporter.ts';
import type { Timings } from '../parts/timings.ts';

export interface DemoDeps {
  api: Api;
  report: Reporter;
  timings: Timings;
  stderr: Writable;
  interrupted: AbortSignal;
}

/** A public file of the demo: the stream that the connector makes of it, and its rows. */
export interface DemoFile {
  file: string;
  stream: string;
  table: string;
  rows: number;
}

/** The three files of the package vega-datasets that the demo loads. */
export const DEMO_FILES: readonly DemoFile[] = [
  { file: 'flights-3m.parquet', stream: 'flights-3m', table: 'vega__flights_3m', rows: 3_000_000 },
  { file: 'airports.csv', stream: 'airports', table: 'vega__airports', rows: 3_376 },
  { file: 'seattle-weather.csv', stream: 'seattle-weather', table: 'vega__seattle_weather', rows: 1_461 },
];

export const DEMO_TENANT = 'demo';
/** The tenants of the demo users, the demo's own first. */
export const DEMO_TENANTS: readonly string[] = [DEMO_TENANT, 'other'];
export const DEMO_SOURCE = 'vega';

/** The folder of the public data in a list; none where it is not installed. */
export function publicData(): string[] {
  try {
    return [demoFolder()];
  } catch {
    return [];
  }
}

/** The folder of the public data, wherever npm put the package; throws when it is not installed. */
export function demoFolder(): string {
  let folder = path.dirname(fileURLToPath(import.meta.resolve('vega-datasets')));
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return path.join(folder, 'data');
}
