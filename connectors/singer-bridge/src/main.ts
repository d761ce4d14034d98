import { createOutput, EXIT, parseArguments, USAGE, watchStdinLease } from '@weir/connector-sdk';
import { answerByTap } from './bridge.ts';

/** The first argument, which is in the image's ENTRYPOINT, names the tap; the protocol's own follow. */
async function main([tap, ...argv]: readonly string[]): Promise<number> {
  const asked = tap === undefined ? undefined : parseArguments(argv);
  if (tap === undefined || asked === undefined) {
    process.stderr.write(USAGE);
    return EXIT.usage;
  }
  watchStdinLease();
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort()).once('SIGINT', () => stop.abort());
  const output = createOutput(process.stdout);
  const code = await answerByTap({ tap, output, signal: stop.signal }, asked);
  await output.flush();
  return code;
}

process.exit(await main(process.argv.slice(2)));
