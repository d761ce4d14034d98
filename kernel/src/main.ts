import { bootPlatform, planPlatform, platformPath, refuseToStart, startApi } from './boot.ts';

/** The API process: read, plan, boot, listen; SIGTERM drains. `--plan` prints the boot order and stops. */
async function main(): Promise<void> {
  const platformFile = platformPath(process.env);
  if (process.argv.includes('--plan')) {
    const { order } = planPlatform(platformFile);
    process.stdout.write(`${JSON.stringify({ order })}\n`);
    return;
  }
  const platform = await bootPlatform({ platformFile, environment: process.env, program: 'api' });
  await platform.proveVault();
  const api = await startApi(platform);
  platform.log.info({ url: api.url }, 'listening');
  let stopped = false;
  const stop = async () => {
    if (stopped) return;
    stopped = true;
    platform.log.info('draining');
    await api.stop();
    await platform.stop();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());
  // A supervisor that started us over IPC and vanished must not leave us behind.
  process.once('disconnect', () => void stop());
}

main().catch(refuseToStart);
