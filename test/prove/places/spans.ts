import type { Place } from '../proof.ts';
import { traceControl, traceHeaders } from './logs.ts';

/** Everything that the trace collector was sent. */
export const spans: Place = {
  name: 'spans',
  about: 'everything that a trace collector was sent over OTLP, headers included',
  control: traceControl,
  async leak({ platform, fault }, control) {
    const { status } = await platform.call({ method: 'GET', path: '/sources', headers: traceHeaders(control) });
    if (status !== 200) fault(`the control of the spans was answered ${status}`);
  },
  lookAfter: ({ platform }, look) => look.bytes('trace collector', platform.collector.received()),
};
