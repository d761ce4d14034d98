import { previewSchedule } from '@weir/plugin-schedules/contract';
import { type Examples, example } from '../../../test/examples.ts';

/** The other routes of schedules belong to the plugins of what they run. */
export const examples: Examples = {
  calls: [example(previewSchedule, { body: { cron: ['30 6 * * mon-fri'], timezone: 'Europe/Kyiv' } })],
};
