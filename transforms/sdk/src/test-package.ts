// `npm run test-package -- <folder>`: tries the standard suite on a transform package.
import { resolve } from 'node:path';
import { standardSuite } from './testing.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder of the package: npm run test-package -- <folder>');
// npm runs in the checkout, whatever folder it was called in.
const { laws, close } = await standardSuite(resolve(process.env.INIT_CWD ?? '.', folder)).catch((error: Error) => {
  process.stdout.write(`  ✗ ${error.message}\n`);
  return process.exit(1);
});
for (const { name, run } of laws) {
  const fault = await run().then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (fault !== undefined) process.exitCode = 1;
  process.stdout.write(fault === undefined ? `  ✓ ${name}\n` : `  ✗ ${name}\n      ${fault}\n`);
}
close();
