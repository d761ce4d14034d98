import { Command } from 'clipanion';
import { WeirCommand } from '../../command/command.ts';
import { notSignedIn } from '../../connection/not-signed-in.ts';
import { signedIn } from '../../connection/session.ts';
import { exitCode } from '../../exit-codes.ts';

/** Prints the token of a command, for another program. */
export class Token extends WeirCommand {
  static override paths = [['token']];
  static override usage = Command.Usage({
    category: 'Signing in',
    description: 'Print the token that commands send, renewed when it is about to end',
    details: 'Its holder can act as you until it expires.',
    examples: [
      ['A call by curl', 'curl -H "authorization: Bearer $(weir token)" http://127.0.0.1:8080/api/v1/sources'],
    ],
  });

  async execute(): Promise<number> {
    const { env, interrupted, stdout } = this.context;
    const { token } = await signedIn(await this.connection(), { env, interrupted });
    if (token === undefined) throw notSignedIn();
    stdout.write(`${token}\n`);
    return exitCode('ok');
  }
}
