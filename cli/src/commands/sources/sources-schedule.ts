import { sourceSchedules } from '@weir/plugin-sources/contract';
import { scheduleCommands } from '../../command/schedule-commands.ts';
import { sourceId } from '../../command/source-id.ts';

/** The commands about the schedule of one source. */
export const sourceScheduleCommands = scheduleCommands({
  ...{ category: 'Sources', words: ['sources', 'schedule'], endpoints: sourceSchedules, idOf: sourceId },
  examples: [
    ['Every working day at six', 'weir sources schedule set shop --cron "0 6 * * mon-fri" --tz Europe/Kyiv'],
    ['Every hour, at a quarter past', 'weir sources schedule set shop --every 1h --offset 15m'],
  ],
});
