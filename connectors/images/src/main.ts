import path from 'node:path';
import { connectorContext, connectorFolder } from './image-context.ts';

const USAGE = 'usage: npm run image -- <connector> <folder>\n';

/** Writes the build context of a connector and says how an image is made of it. */
async function main([name, folder]: readonly string[]): Promise<number> {
  if (name === undefined || folder === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const context = path.resolve(folder);
  const facts = await connectorContext(connectorFolder(name), context);
  const args = `--build-arg NAME=${facts.name.replace(/:.*$/, '')} --build-arg VERSION=${facts.version}`;
  process.stdout.write(`docker build --tag ${facts.name} ${args} ${context}\n`);
  return 0;
}

process.exitCode = await main(process.argv.slice(2)).catch((fault: Error) => {
  process.stderr.write(`${fault.message}\n`);
  return 1;
});
