import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

interface Config {
  program: string[];
  config: string;
}

/**
 * Starts a connector that others made as the development runtime starts ours: it gets its own configuration, and writes
 * to our output itself. It ends with whoever started it, whose end of our input closes then.
 */
async function main([verb = '', ...words]: string[]): Promise<void> {
  if (verb === 'spec') {
    process.stdout.write(`${JSON.stringify({ type: 'SPEC', spec: { connectionSpecification: {} } })}\n`);
    return;
  }
  const at = words.indexOf('--config') + 1;
  const { program, config } = JSON.parse(await readFile(words[at] ?? '', 'utf8')) as Config;
  const own = path.join(process.env.TMPDIR ?? '.', 'own-config.json');
  await writeFile(own, config, { mode: 0o600 });
  const [command = '', ...leading] = program;
  const child = spawn(command, [...leading, verb, ...words.with(at, own)], { stdio: ['ignore', 'inherit', 'inherit'] });
  process.stdin.resume().once('end', () => child.kill('SIGKILL'));
  process.once('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exit(code ?? 1);
}

await main(process.argv.slice(2));
process.stdin.pause();
