import path from 'node:path';
import { bridgeContext, connectorContext, connectorFolder } from './image-context.ts';
import { platformContext } from './platform-context.ts';

const USAGE = 'usage: npm run image -- <connector>|weir <folder>\n';
/** The one program that becomes a connector only together with one of the user's. */
const BRIDGE = 'singer-bridge';
const PLATFORM = 'weir';

/** Writes the build context of a connector, or of the platform, and says how an image is made of it. */
async function main([name, folder]: readonly string[]): Promise<number> {
  if (name === undefined || folder === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const context = path.resolve(folder);
  if (name === PLATFORM) {
    const commit = await platformContext(context);
    process.stdout.write(`docker build --tag weir:${commit || 'local'} --build-arg REVISION=${commit} ${context}\n`);
    return 0;
  }
  if (name === BRIDGE) {
    const args = (await bridgeContext(context)).map((asked) => `--build-arg ${asked}=…`);
    process.stdout.write(`docker build --tag … ${args.join(' ')} ${context}\n`);
    return 0;
  }
  const facts = await connectorContext(connectorFolder(name), context);
  const args = `--build-arg NAME=${facts.name.replace(/:.*$/, '')} --build-arg VERSION=${facts.version}`;
  process.stdout.write(`docker build --tag ${facts.name} ${args} ${context}\n`);
  return 0;
}

process.exitCode = await main(process.argv.slice(2)).catch((fault: Error) => {
  process.stderr.write(`${fault.message}\n`);
  return 1;
});
