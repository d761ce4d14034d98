import { sourceLife } from './drives/source-life.ts';
import { audit } from './places/audit.ts';
import { dataFiles } from './places/data-files.ts';
import { database } from './places/database.ts';
import { histories } from './places/histories.ts';
import { logs, statements } from './places/logs.ts';
import { metrics } from './places/metrics.ts';
import { processes } from './places/processes.ts';
import { responses } from './places/responses.ts';
import { runLogs } from './places/run-logs.ts';
import { spans } from './places/spans.ts';
import { warehouse } from './places/warehouse.ts';
import { leftovers, workspaces } from './places/workspaces.ts';
import type { Drive, Place } from './proof.ts';

/** Where credentials are searched for. A subsystem with a place of its own adds it here, with its control. */
export const PLACES: readonly Place[] = [
  responses,
  logs,
  spans,
  metrics,
  histories,
  database,
  statements,
  dataFiles,
  warehouse,
  runLogs,
  processes,
  workspaces,
  leftovers,
  audit,
];

/** What is done with credentials. A subsystem that handles them adds its own life of them here. */
export const DRIVES: readonly Drive[] = [sourceLife];
