import { Command, Option } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { runProgram } from '../../command/program.ts';

/** The probe of the workers on this machine. */
export class OpsProbe extends WeirCommand {
  static override paths = [['ops', 'probe']];
  static override usage = Command.Usage({
    category: 'Operation',
    description: 'Whether the workers of a role on this machine are alive and poll their queues',
    details:
      'Prints one line of JSON. Exits with 1 when an event loop is stuck, the workflow engine does not answer, a queue does not exist or the engine sees no poller of the worker. Reads the WORKFLOW_ variables and WEIR_STATE_DIR as the worker does. It is liveness only: that runs make progress is shown by weir ops queues and by the runs.',
    examples: [['As the health check of a container', 'weir ops probe --roles source']],
  });

  roles = Option.String('--roles', 'source', { description: 'Roles of the workers, by commas; source unless given' });
  maxSilence = Option.String('--max-silence-seconds', '10', {
    description: 'How long an event loop may not turn',
  });

  async execute(): Promise<number> {
    const args = ['--roles', this.roles, '--max-silence-seconds', this.maxSilence];
    return runProgram(this.context, 'workers/src/health.ts', args);
  }
}
