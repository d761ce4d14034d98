import { listPipelines, pipelineSchedules } from '@weir/plugin-pipelines/contract';
import { idOf } from '../../command/named-id.ts';
import { scheduleCommands } from '../../command/schedule-commands.ts';

/** The commands about the schedule of one pipeline. */
export const pipelineScheduleCommands = scheduleCommands({
  category: 'Pipelines',
  words: ['pipelines', 'schedule'],
  endpoints: pipelineSchedules,
  idOf: (api, given) => idOf(api, listPipelines, 'pipeline_id', given),
  examples: [
    ['Every morning at seven', 'weir pipelines schedule set daily-revenue --cron "0 7 * * *" --tz Europe/Kyiv'],
    ['Every hour, at a quarter past', 'weir pipelines schedule set daily-revenue --every 1h --offset 15m'],
  ],
});
