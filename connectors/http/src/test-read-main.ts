import { text } from 'node:stream/consumers';
import { operatorEgress } from './http-source.ts';
import { reportText, type TestInput, testRead } from './test-read.ts';

/** 6: the manifest or the configuration is at fault; 1: the server, or the way to it. */
const EXIT = { ok: 0, failed: 1, invalid: 6 };
const OWN: readonly string[] = ['config_invalid', 'template_failed', 'stream_unknown'];

const input = JSON.parse(await text(process.stdin)) as TestInput;
const { report, text: masked } = await testRead(input, () => operatorEgress(process.env));
process.stdout.write(process.argv.includes('--text') ? reportText(masked) : `${masked}\n`);
const code = report.fault?.code;
const isOwn = code?.startsWith('manifest_') === true || OWN.includes(code ?? '');
process.exitCode = code === undefined ? EXIT.ok : isOwn ? EXIT.invalid : EXIT.failed;
