import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from '../proof.ts';
import { filesBelow, lookThroughFolder } from './files.ts';

/** The logs of runs as they are kept, compressed ones unpacked: all that connectors said, which is masked before it gets there. */
export const runLogs: Place = {
  name: 'logs of runs',
  about:
    'every file of WEIR_RUN_LOG_DIR: what the connectors said in LOG, TRACE, plain output and stderr, and our own steps',
  leak: ({ platform }, control) =>
    writeFile(
      join(platform.folder.runLogs, 'control.jsonl'),
      JSON.stringify({ message: `the token is ${control.text}` }),
    ),
  async lookAfter({ platform, fault }, look) {
    const { runLogs: folder } = platform.folder;
    const files = filesBelow(folder);
    // The control is one file; without others nobody has said anything.
    if (files.length < 2) fault('no run has left a log');
    await lookThroughFolder(look, folder, 'run-logs');
  },
};
