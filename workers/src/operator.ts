import { bootPlatform, platformPath, Refusal, refuseToStart } from '@weir/kernel/boot';
import { Problem } from '@weir/kernel/contract';
import { findOperation } from './find-operation.ts';

const EXIT_FAULTS = 1;

/**
 * The operator's program: boots the platform without HTTP and does one operation that a plugin's worker door brings, for all
 * tenants or those that are named: `operator.ts <operation> [alias...]`. Prints one line of JSON; exits with 1 when the operation
 * found something wrong, and refuses with 78 what was not done.
 */
async function main([name = '', ...aliases]: string[]): Promise<number> {
  const platformFile = platformPath(process.env);
  const platform = await bootPlatform({ platformFile, environment: process.env, program: 'operator' });
  try {
    const { operation, kernel } = await findOperation(platform, name);
    const known = await platform.tenants.list();
    const tenants = aliases.length === 0 ? known : known.filter(({ alias }) => aliases.includes(alias));
    if (new Set(aliases).size > tenants.length && aliases.length > 0) {
      throw new Refusal('operator refused', ['a tenant that is named does not exist']);
    }
    const { ok, told } = await operation(kernel, tenants);
    process.stdout.write(`${JSON.stringify({ told })}\n`);
    return ok ? 0 : EXIT_FAULTS;
  } finally {
    await platform.stop();
  }
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) =>
    refuseToStart(error instanceof Problem ? new Refusal(error.code, [error.message, error.entry.hint]) : error),
);
