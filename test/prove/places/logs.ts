import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Place } from '../proof.ts';
import type { Canary } from '../search/canary.ts';
import { filesBelow } from './files.ts';

/** The database server's log, which is a place of its own. */
const STATEMENTS = 'postgres.log';
const TRACE_BYTES = 16;
const SPAN_BYTES = 8;

/** A trace id as a control: it goes into logs and spans as it is, and nowhere else can a caller write there. */
export const traceControl = (place: string): Canary => ({
  mode: 'control',
  field: place,
  text: randomBytes(TRACE_BYTES).toString('hex'),
  onlyRaw: true,
});

/** Headers that name a trace. */
export const traceHeaders = ({ text }: Canary) => ({
  traceparent: `00-${text}-${randomBytes(SPAN_BYTES).toString('hex')}-01`,
});

/** The logs of all programs, at their most talkative. */
export const logs: Place = {
  name: 'logs',
  about: 'output of the API, the worker and the workflow engine; API and worker at level trace',
  control: traceControl,
  async leak({ platform, fault }, control) {
    const body = { name: 'Not A Name' };
    const { status } = await platform.call({ method: 'POST', path: '/sources', body, headers: traceHeaders(control) });
    if (status !== 400) fault(`the control of the logs was answered ${status}`);
  },
  async lookAfter({ platform }, look) {
    const { logs: folder } = platform.folder;
    for (const file of filesBelow(folder)) if (file !== STATEMENTS) await look.file(file, join(folder, file));
  },
};

/** The log of the database server: what was ever sent to the database, whether it was kept or not. */
export const statements: Place = {
  name: 'statements of the database',
  about: 'the log of the database server, with every statement and its parameters',
  async leak({ platform }, control) {
    await platform.sql('select $1::text', [control.text]);
  },
  lookAfter: ({ platform }, look) => look.file(STATEMENTS, join(platform.folder.logs, STATEMENTS)),
};
