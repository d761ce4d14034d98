#!/usr/bin/env node
import { launch } from './launch.mjs';

const [script, ...args] = process.argv.slice(2);
if (script === undefined) {
  process.stderr.write('usage: node24.mjs <script.ts> [arguments]\n');
  process.exit(64);
}
launch(script, args);
